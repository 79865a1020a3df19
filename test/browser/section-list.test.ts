import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { project as makeProject } from '../support/api.ts'
import { ALICE, type TestApp, testApp } from '../support/app.ts'
import { fileDefects } from '../support/defects.ts'
import {
  dialog,
  inChromium,
  launch,
  middle,
  phone,
  screenshot,
  section,
  type Visit,
  visit,
} from './support.ts'

const retired =
  '<desc data-retired="parallel-port" data-label="Parallel port" data-first="2019-02-01" data-last="2021-05-03"/>'
/** Of more sections than the list shows at first, a few without defects, one that is on the board no more. */
const many = {
  memory: 1_234_567,
  'usb-port': 38,
  hdmi: 31,
  ethernet: 24,
  'audio-jack': 19,
  'reset-button': 15,
  'sd-slot': 12,
  flash: 9,
  cpu: 7,
  antenna: 6,
  regulator: 5,
  battery: 1,
  'parallel-port': 4,
}

inChromium('the list of sections', () => {
  let app: TestApp
  let browser: Browser
  let open: Visit
  beforeAll(async () => {
    app = await testApp()
    browser = await launch()
    const { id } = await makeProject(app)
    await fileDefects(app.db, 1, { projectId: id, sectionId: 'parallel-port' })
  })
  afterEach(async () => {
    await open.context.close()
    expect(open.complaints).toEqual([])
  })
  afterAll(async () => {
    await browser.close()
    await app.stop()
  })

  async function openBoard(
    counts: Record<string, number>,
    options: Parameters<typeof visit>[3] = {},
  ): Promise<Page> {
    open = await visit(browser, app, ALICE, {
      ...options,
      prepare: async context => {
        await context.route('**/api/defects/counts*', route => route.fulfill({ json: counts }))
        await context.route('**/board.svg', async route => {
          const response = await route.fetch()
          const body = (await response.text()).replace('</svg>', `${retired}</svg>`)
          await route.fulfill({ response, body })
        })
      },
    })
    await open.page.locator('.board .section-button').first().waitFor()
    return open.page
  }

  const rows = (page: Page) => page.locator('.list li:visible')
  const history = (page: Page, name: string) => page.getByRole('link', { name: `History of ${name}` })

  test('the ten worst come first, all others on demand, and what has nothing to tell is folded', async () => {
    const page = await openBoard(many)
    await screenshot(page, 'list-worst')
    expect(await rows(page).count()).toBe(10)
    expect(await rows(page).first().textContent()).toContain('Memory')
    const more = page.getByRole('button', { name: 'Show all 12' })
    expect(await more.getAttribute('aria-expanded')).toBe('false')
    await more.click()
    expect(await rows(page).count()).toBe(12)
    await page.getByRole('button', { name: 'Show the 10 worst' }).click()
    expect(await rows(page).count()).toBe(10)
    await page.getByText(/^\d+ without defects$/).click()
    await history(page, 'Crystal oscillator').waitFor()
  })

  test('a retired section keeps the label it had last, with the day on which it left', async () => {
    const page = await openBoard(many)
    await page.locator('summary', { hasText: '1 retired' }).click()
    expect(await rows(page).last().textContent()).toContain('Off the board since 3 May 2021')
    expect(await page.getByRole('button', { name: 'Report a defect on Parallel port' }).count()).toBe(0)
    await history(page, 'Parallel port').click()
    await page.getByRole('heading', { name: 'Parallel port', level: 1 }).waitFor()
  })

  test('a million defects stand there short and uncut, exactly on hover and in words', async () => {
    const page = await openBoard(many)
    const number = rows(page).first().locator('.number')
    expect(await number.locator('[aria-hidden]').textContent()).toBe('1.23M')
    expect(await number.getAttribute('title')).toBe('1,234,567 defects')
    expect(await number.evaluate(element => element.scrollWidth <= element.clientWidth)).toBe(true)
  })

  test('a click anywhere on a row opens its history; Report appears on hover and focus', async () => {
    const page = await openBoard(many)
    const report = page.getByRole('button', { name: 'Report a defect on USB port' })
    const opacity = () => report.evaluate(element => getComputedStyle(element).opacity)
    expect(await opacity()).toBe('0')
    await report.focus()
    expect(await opacity()).toBe('1')
    await report.click()
    await dialog(page).waitFor()
    await page.keyboard.press('Escape')
    const { x, y } = await middle(rows(page).nth(1).locator('.number'))
    await page.mouse.click(x, y)
    await page.getByRole('heading', { name: 'USB port', level: 1 }).waitFor()
  })

  test('by touch Report is always there', async () => {
    const page = await openBoard(many, phone)
    const report = page.getByRole('button', { name: 'Report a defect on USB port' })
    expect(await report.evaluate(element => getComputedStyle(element).opacity)).toBe('1')
    await report.scrollIntoViewIfNeeded()
    await screenshot(page, 'list-phone')
    await report.tap()
    await dialog(page).getByRole('heading', { name: 'USB port' }).waitFor()
  })

  test('an empty board says how to begin', async () => {
    const page = await openBoard({})
    await page.getByText('Nothing has been reported yet. So it begins:').waitFor()
    await screenshot(page, 'list-empty')
    expect(await page.locator('.list .beginning li').count()).toBe(3)
    expect(await rows(page).count()).toBe(3)
    await page.getByText('18 without defects').click()
    expect(await rows(page).count()).toBe(21)
    await page.getByRole('radio', { name: '7 days' }).check()
    await page.getByText('Nothing was reported in this time.').waitFor()
    await section(page, /USB port/).waitFor()
  })
})
