import { afterAll, beforeAll, expect, test } from 'bun:test'
import AxeBuilder from '@axe-core/playwright'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { project as makeProject, report } from '../support/api.ts'
import { ALICE, type TestApp, testApp } from '../support/app.ts'
import { until } from '../support/until.ts'
import { articles, inChromium, launch, phone, screenshot, section, visit } from './support.ts'

const counts = { memory: 60, 'usb-port': 38, hdmi: 9, ethernet: 3 }
const day = (back: number) => new Date(Date.now() - back * 86_400_000).toISOString().slice(0, 10)

/** Of each section as many as it has, later ones more often; the first two thirds of the year had nothing. */
function trendsOf(days: number) {
  const spread = (sum: number, seed: number) => {
    const series = Array.from({ length: days }, () => 0)
    for (let n = 0; n < sum; n++) series[days - 1 - ((n * n * seed) % Math.min(days, 120))]! += 1
    return series
  }
  const sections = Object.fromEntries(
    Object.entries(counts).map(([id, sum], index) => [id, spread(sum, index + 3)]),
  )
  return { from: day(days - 1), days, sections }
}

inChromium('the weak points over time', () => {
  let app: TestApp
  let browser: Browser
  let page: Page
  let context: BrowserContext
  let complaints: string[]
  const asked: string[] = []
  beforeAll(async () => {
    app = await testApp()
    browser = await launch()
    const { id } = await makeProject(app)
    await report(app.as(ALICE), id, 'Loose', 'usb-port')
    const visited = await visit(browser, app, ALICE, { prepare })
    page = visited.page
    context = visited.context
    complaints = visited.complaints
    page.on('request', request => asked.push(request.url()))
    await slider(page).waitFor()
  })
  afterAll(async () => {
    await browser.close()
    await app.stop()
    expect(complaints).toEqual([])
  })

  async function prepare(context: BrowserContext) {
    await context.route('**/api/defects/counts*', route => route.fulfill({ json: counts }))
    await context.route('**/api/defects/trends*', route =>
      route.fulfill({ json: trendsOf(Number(/days=(\d+)d/.exec(route.request().url())?.[1])) }),
    )
  }

  const slider = (page: Page) => page.getByRole('slider', { name: 'Day that the map shows' })
  const axe = async (of: Page) => {
    const checked = new AxeBuilder({ page: of }).setLegacyMode().options({ resultTypes: ['violations'] })
    const { violations } = await checked.analyze()
    return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])
  }
  const over = (of: Page) =>
    of.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

  test('each section of the list has its line, and what changed against the span before, in words too', async () => {
    await page.getByRole('radio', { name: '30 days' }).check()
    const row = page.locator('.list li').first()
    await row.locator('.change').waitFor()
    expect(await row.locator('.change').textContent()).toMatch(
      /[▲▼] \d+ , \d+ (more|fewer) than in the 30 days before/,
    )
    expect(await row.locator('.trend path').getAttribute('d')).toMatch(/^M1 /)
    await screenshot(page, 'insight-board')
    expect(await axe(page)).toEqual([])
  })

  test('the past is led by keys, with one legend for all days, and asks the server for nothing of its own', async () => {
    const legend = () => page.getByRole('list', { name: 'Colours of the map' }).textContent()
    const whole = await legend()
    asked.length = 0
    await slider(page).focus()
    await page.keyboard.press('Home')
    await section(page, /^Memory, \d\d? defects/).waitFor()
    const first = await slider(page).getAttribute('aria-valuetext')
    expect(first).toMatch(/^\d+ \w+ 20\d\d: \d+ defects?$/)
    await screenshot(page, 'insight-past')
    expect(await legend()).toBe(whole)
    await page.keyboard.press('ArrowRight')
    expect(await slider(page).inputValue()).toBe('1')
    await page.keyboard.press('End')
    await section(page, 'Memory, 60 defects').waitFor()
    // The page looks for news meanwhile, as always.
    const news = ['/api/defects/counts?since=30d', '/api/defects/trends?days=60d'].map(
      path => app.origin + path,
    )
    expect(asked.filter(url => /trends|counts/.test(url) && !news.includes(url))).toEqual([])
  })

  test('Play runs to the end by itself, and stops when it is led or paused', async () => {
    await slider(page).focus()
    await page.keyboard.press('Home')
    await page.getByRole('button', { name: 'Play', exact: true }).click()
    await until(async () => Number(await slider(page).inputValue()) > 0, 'it moves')
    await page.getByRole('button', { name: 'Pause' }).click()
    await slider(page).fill('26')
    await page.getByRole('button', { name: 'Play', exact: true }).click()
    await until(async () => (await slider(page).inputValue()) === '29', 'it reaches the end')
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor()
    await section(page, 'Memory, 60 defects').waitFor()
  })

  test('a section’s page shows each week, as a picture and as a table', async () => {
    await page.getByRole('link', { name: 'History of USB port' }).click()
    await page.getByRole('heading', { name: 'Trend' }).waitFor()
    await articles(page).first().waitFor()
    await screenshot(page, 'insight-section')
    await page.getByText('As a table').click()
    const cells = await page.locator('table td').allTextContents()
    expect(cells).toHaveLength(26)
    expect(cells.reduce((sum, cell) => sum + Number(cell), 0)).toBe(38)
    expect(await page.locator('figure rect title').count()).toBe(26)
    expect(await axe(page)).toEqual([])
  })

  test('it fits a narrow phone, in the dark and with large text', async () => {
    const { page, context } = await visit(browser, app, ALICE, {
      ...phone,
      viewport: { width: 320, height: 640 },
      colorScheme: 'dark',
      prepare,
    })
    await slider(page).waitFor()
    await page.locator('.list .trend').first().scrollIntoViewIfNeeded()
    await screenshot(page, 'insight-phone')
    await page.evaluate(() => document.documentElement.style.setProperty('font-size', '32px'))
    expect(await over(page)).toBe(0)
    await page.goto(`${app.origin}/sections/usb-port`)
    await page.getByRole('heading', { name: 'Trend' }).waitFor()
    await screenshot(page, 'insight-section-phone')
    expect(await over(page)).toBe(0)
    await context.close()
  })

  test('without an answer about the past everything else stands', async () => {
    await context.unroute('**/api/defects/trends*')
    await context.route('**/api/defects/trends*', route => route.abort())
    await page.goto(app.origin)
    await section(page, 'Memory, 60 defects').waitFor()
    await page.getByRole('radio', { name: '7 days' }).check()
    expect(await page.locator('.trend').count()).toBe(0)
    expect(await slider(page).count()).toBe(0)
  })
})
