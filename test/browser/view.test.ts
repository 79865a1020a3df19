import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import AxeBuilder from '@axe-core/playwright'
import type { Browser, Page } from 'playwright-core'
import { project, report } from '../support/api.ts'
import { ALICE, type TestApp, testApp } from '../support/app.ts'
import { fileDefects } from '../support/defects.ts'
import { until } from '../support/until.ts'
import {
  articles,
  inChromium,
  launch,
  phone,
  screenshot,
  section,
  signIn,
  type Visit,
  visit,
} from './support.ts'

const DAY_MS = 86_400_000

inChromium('what is looked at', () => {
  let app: TestApp
  let browser: Browser
  let open: Visit
  let hinge: string
  let lamp: string
  beforeAll(async () => {
    ;[app, browser] = await Promise.all([testApp(), launch()])
    hinge = (await project(app, 'Hinge rework')).id
    lamp = (await project(app, 'Aurora handheld')).id
    const alice = app.as(ALICE)
    await report(alice, hinge, 'The shield is loose', 'usb-port')
    await report(alice, hinge, 'Gets hot', 'cpu')
    await report(alice, lamp, 'Loose again', 'usb-port')
    await fileDefects(app.db, 3, {
      projectId: lamp,
      sectionId: 'ethernet',
      verbatim: 'No link',
      createdAt: new Date(Date.now() - 20 * DAY_MS),
    })
  })
  afterEach(async () => {
    expect(open.complaints).toEqual([])
    await open.context.close()
  })
  afterAll(async () => {
    await browser.close()
    await app.stop()
  })

  const words = (page: Page) => page.locator('.narrowed')
  const said = async (page: Page) => ((await words(page).textContent()) ?? '').replace(/\s+/g, ' ').trim()
  const says = (page: Page, text: string) => until(async () => (await said(page)).includes(text), text)
  const projects = (page: Page) => page.getByRole('combobox', { name: 'Only reports on the project' })
  const shows = (page: Page, many: number) =>
    until(async () => (await articles(page).count()) === many, `${many} reports are shown`)

  test('span, project, section and words are in the address; reload, back and forward show the same', async () => {
    open = await visit(browser, app, ALICE)
    const { page } = open
    await says(page, '6 reports in all')
    await projects(page).fill('auro')
    await page.getByRole('option', { name: 'Aurora handheld' }).click()
    await says(page, 'Aurora handheld · 4 reports')
    await section(page, 'USB port, 1 defect').waitFor()
    await shows(page, 4)
    await page.getByRole('radio', { name: '7 days' }).check()
    await says(page, 'Aurora handheld · last 7 days · 1 report')
    await shows(page, 1)
    await page.getByLabel('Show the reports of').selectOption({ label: 'USB port' })
    await says(page, 'USB port · Aurora handheld · last 7 days · 1 report')
    await page.getByRole('searchbox').pressSequentially('loo')
    const whole = 'USB port · Aurora handheld · last 7 days · “loo” · 1 report · map: not narrowed by search'
    await says(page, whole)
    const address = new URL(page.url())
    expect(Object.fromEntries(address.searchParams)).toEqual({
      days: '7d',
      project: lamp,
      q: 'loo',
      section: 'usb-port',
    })
    await shows(page, 1)
    await page.reload()
    await says(page, whole)
    expect(await page.getByRole('searchbox').inputValue()).toBe('loo')
    expect(await projects(page).inputValue()).toBe('Aurora handheld')
    expect(await page.getByLabel('Show the reports of').inputValue()).toBe('usb-port')
    await shows(page, 1)

    for (const wider of ['section=usb-port', 'days=7d', `project=${lamp}`]) {
      while (page.url().includes(wider)) await page.goBack()
    }
    await says(page, '6 reports in all')
    await shows(page, 6)
    await page.goForward()
    await says(page, 'Aurora handheld · 4 reports')
  })

  test('each part is widened where it is said', async () => {
    const path = `/?days=7d&project=${hinge}&section=usb-port&q=shield`
    open = await visit(browser, app, ALICE, { path })
    const { page } = open
    await says(page, 'USB port · Hinge rework · last 7 days · “shield” · 1 report · map')
    await page.getByRole('button', { name: /^Any words/ }).click()
    await says(page, 'USB port · Hinge rework · last 7 days · 1 report')
    expect(await page.getByRole('searchbox').inputValue()).toBe('')
    await page.getByRole('button', { name: /^All projects/ }).click()
    await says(page, 'USB port · last 7 days · 2 reports')
    await page.getByRole('button', { name: /^All sections/ }).click()
    await page.getByRole('button', { name: /^All time/ }).click()
    await says(page, '6 reports in all')
    expect(new URL(page.url()).search).toBe('')
  })

  test('a project is chosen by a few letters; others typed narrow nothing, and none is every project', async () => {
    open = await visit(browser, app, ALICE, { path: `/?project=${hinge}` })
    const { page } = open
    await says(page, 'Hinge rework · 2 reports')
    await projects(page).fill('warp')
    await page.keyboard.press('Tab')
    expect(await projects(page).inputValue()).toBe('Hinge rework')
    await projects(page).fill('han')
    await page.keyboard.press('Enter')
    await says(page, 'Aurora handheld · 4 reports')
    await projects(page).fill('')
    await page.keyboard.press('Tab')
    await says(page, '6 reports in all')
  })

  test('the page of a section keeps the view, and leads back with it', async () => {
    open = await visit(browser, app, ALICE, { path: `/?project=${lamp}` })
    const { page } = open
    await page.getByRole('link', { name: 'History of USB port' }).click()
    await page.getByRole('heading', { name: 'USB port', level: 1 }).waitFor()
    expect(page.url()).toEndWith(`/sections/usb-port?project=${lamp}`)
    await says(page, 'USB port · Aurora handheld · 1 report')
    await shows(page, 1)
    await page.getByRole('button', { name: /^All projects/ }).click()
    await shows(page, 2)
    const bars = page.getByRole('button', { name: 'Hinge rework' })
    await bars.click()
    await says(page, 'Hinge rework · 1 report')
    await page.getByRole('link', { name: 'Whole board' }).click()
    expect(page.url()).toEndWith(`/?project=${hinge}`)
  })

  test('who was signed out comes back to the same view', async () => {
    open = await visit(browser, app, undefined, { path: `/?days=30d&project=${lamp}&q=link` })
    const { page, context } = open
    const back = new URL(page.url()).searchParams.get('return_to')
    expect(back).toBe(`/?days=30d&project=${lamp}&q=link`)
    await signIn(context, app, ALICE)
    await page.goto(app.origin + back)
    await says(page, 'Aurora handheld · last 30 days · “link” · 3 reports · map: not narrowed by search')
    await shows(page, 3)
  })

  test('a project or words that cannot be are said in their place', async () => {
    open = await visit(browser, app, ALICE, { path: '/?project=0190a6e0-1c2d-7e3f-8a4b-5c6d7e8f9a0b' })
    const { page } = open
    await says(page, 'there is no such project')
    await page.getByText('There is no such project. It may have been merged').waitFor()
    await section(page, /^USB port/).waitFor()
    await page.getByRole('button', { name: /^All projects/ }).click()
    await says(page, '6 reports in all')
    await page.getByRole('searchbox').fill('warp')
    await page.getByText('No report has words that begin with “warp”.').waitFor()
  })

  test('what is shown is what is downloaded', async () => {
    open = await visit(browser, app, ALICE, { path: `/?project=${lamp}&q=loose` })
    const { page } = open
    await shows(page, 1)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'NDJSON' }).click(),
    ])
    const lines = readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split('\n')
    expect(lines.map(line => JSON.parse(line).verbatim)).toEqual(['Loose again'])
    expect(page.url()).toContain(`/?project=${lamp}`)
  })

  test('one’s own report appears where it belongs alone', async () => {
    open = await visit(browser, app, ALICE, { path: `/?project=${hinge}` })
    const { page } = open
    await shows(page, 2)
    await report(app.as(ALICE), lamp, 'Of another project', 'cpu')
    await page.evaluate(() => dispatchEvent(new Event('focus')))
    await section(page, 'Processor, 1 defect').waitFor()
    expect(await articles(page).count()).toBe(2)
  })

  test('it fits a phone', async () => {
    open = await visit(browser, app, ALICE, {
      ...phone,
      viewport: { width: 320, height: 640 },
      path: `/?days=7d&project=${hinge}&q=loose&section=usb-port`,
    })
    const { page } = open
    await says(page, 'map: not narrowed by search')
    const wide = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    expect(await wide()).toBeLessThanOrEqual(0)
    await screenshot(page, 'view-phone')
    const { violations } = await new AxeBuilder({ page })
      .setLegacyMode()
      .options({ resultTypes: ['violations'] })
      .analyze()
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([])
    await page.evaluate(() => document.documentElement.style.setProperty('font-size', '200%'))
    expect(await wide()).toBeLessThanOrEqual(0)
    await screenshot(page, 'view-phone-large')
    await page.emulateMedia({ forcedColors: 'active' })
    await screenshot(page, 'view-forced-colours')
  })
})
