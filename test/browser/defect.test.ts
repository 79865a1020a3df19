import { afterAll, beforeAll, expect, test } from 'bun:test'
import AxeBuilder from '@axe-core/playwright'
import type { Browser } from 'playwright-core'
import type { Project } from '../../server/projects/model.ts'
import { project, report } from '../support/api.ts'
import { ALICE, BOB, type TestApp, testApp } from '../support/app.ts'
import { articles, inChromium, launch, screenshot, visit } from './support.ts'

inChromium('the page of one report', () => {
  let app: TestApp
  let browser: Browser
  let id: string
  let hinge: Project
  beforeAll(async () => {
    app = await testApp()
    browser = await launch()
    hinge = await project(app, 'Hinge rework')
    await report(app.as(ALICE), hinge.id, 'The port wobbles', 'usb-port')
    id = (await report(app.as(ALICE), hinge.id, 'The shield is loose', 'usb-port')).id
    await report(app.as(ALICE), hinge.id, 'Too hot', 'cpu')
  })
  afterAll(async () => {
    await browser.close()
    await app.stop()
  })

  test('the time of an entry leads to it: in full, on the board, with what else is told of its section', async () => {
    const { page, context, complaints } = await visit(browser, app, ALICE)
    await articles(page)
      .filter({ hasText: 'The shield is loose' })
      .getByRole('link', { name: 'just now' })
      .click()
    await page.waitForURL(`${app.origin}/defects/${id}`)
    await page.getByRole('heading', { name: 'Latest on USB port' }).waitFor()
    await articles(page).nth(2).getByText('The port wobbles').waitFor()
    expect(await articles(page).allTextContents()).toHaveLength(3)
    expect(await page.locator('article[aria-current]').textContent()).toContain('The shield is loose')
    expect(await page.title()).toBe('Report · Faultline')
    const place = page.getByRole('complementary').locator('[role="button"][aria-current]')
    expect(await place.getAttribute('data-section')).toBe('usb-port')
    const { violations } = await new AxeBuilder({ page }).options({ resultTypes: ['violations'] }).analyze()
    expect(violations).toEqual([])
    await screenshot(page, 'defect')
    await page.reload()
    await page.getByRole('heading', { name: 'Latest on USB port' }).waitFor()
    await context.close()
    expect(complaints).toEqual([])
  })

  test('a long report is folded at six lines in a list, and whole on its page', async () => {
    const long = Array.from({ length: 40 }, (_, line) => `line ${line}`).join('\n')
    const { page, context, complaints } = await visit(browser, app, BOB, { path: '/sections/hdmi' })
    const { id } = await report(app.as(BOB), hinge.id, long, 'hdmi')
    await page.reload()
    const words = articles(page).first().locator('.verbatim')
    const lines = () =>
      words.evaluate(element =>
        Math.round(element.clientHeight / parseFloat(getComputedStyle(element).lineHeight)),
      )
    await page.getByRole('button', { name: 'Show all' }).click()
    expect(await lines()).toBe(40)
    await screenshot(page, 'report-unfolded')
    await page.getByRole('button', { name: 'Show less' }).click()
    expect(await lines()).toBe(6)
    await page.goto(`${app.origin}/defects/${id}`)
    await page.getByRole('heading', { name: 'Latest on HDMI port' }).waitFor()
    expect(await lines()).toBe(40)
    expect(complaints).toEqual([])
    await context.close()
  })

  test('who reported is shown by the part before the @, and in full to who looks closer', async () => {
    const { page, context } = await visit(browser, app, ALICE)
    const reporter = articles(page).first().locator('footer > span')
    await reporter.waitFor()
    const width = async () => (await reporter.boundingBox())!.width
    const short = await width()
    await reporter.hover()
    expect(await width()).toBeGreaterThan(1.5 * short)
    await page.mouse.move(0, 0)
    expect(await width()).toBe(short)
    await articles(page).first().getByRole('link').first().focus()
    expect(await width()).toBeGreaterThan(1.5 * short)
    expect(await reporter.textContent()).toBe(BOB)
    await context.close()
  })

  test('a report that is not there is a page that says so', async () => {
    const path = '/defects/0190a6e0-1c2d-7e3f-8a4b-5c6d7e8f9a0b'
    const { page, context } = await visit(browser, app, ALICE, { path })
    await page.getByRole('heading', { name: 'No such report' }).waitFor()
    await context.close()
  })
})
