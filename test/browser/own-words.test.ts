import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { project as makeProject, report } from '../support/api.ts'
import { ALICE, type TestApp, testApp } from '../support/app.ts'
import { articles, dialog, inChromium, launch, screenshot, section, type Visit, visit } from './support.ts'

const LONG = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'
const drawing = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 200">
  <rect data-section="long" data-label="${LONG}" x="20" y="40" width="80" height="120" fill="#778"/>
  <circle data-section="plain" data-label="Plain" cx="200" cy="100" r="60" fill="#99a"/>
</svg>`

inChromium('long words, large numbers, small screens and paper', () => {
  let app: TestApp
  let browser: Browser
  let open: Visit
  const home = mkdtempSync(join(tmpdir(), 'faultline-board-'))
  beforeAll(async () => {
    await Bun.write(join(home, 'board.svg'), drawing)
    app = await testApp({ env: { BOARD_FILE: join(home, 'board.svg') } })
    browser = await launch()
    const { id } = await makeProject(app, `${LONG}-${LONG}`.slice(0, 120))
    await report(app.as(ALICE), id, `${LONG} leaks`, 'long')
    await report(app.as(ALICE), id, 'Rust', 'plain')
  })
  afterEach(async () => {
    await open.context.close()
    expect(open.complaints).toEqual([])
  })
  afterAll(async () => {
    await browser.close()
    await app.stop()
    rmSync(home, { recursive: true, force: true })
  })

  const over = (page: Page) =>
    page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

  test.each([320, 390, 1366])('a word longer than the line does not widen the page: %d', async width => {
    open = await visit(browser, app, ALICE, { viewport: { width, height: 768 } })
    const { page } = open
    await articles(page).first().waitFor()
    await screenshot(page, `long-words-${width}`)
    expect(await over(page)).toBe(0)
    await section(page, LONG).focus()
    await page.locator('.board .tip').waitFor()
    expect(await over(page)).toBe(0)
    await page.keyboard.press('Enter')
    await dialog(page).getByText('Already reported?').waitFor()
    await screenshot(page, `long-words-dialog-${width}`)
    expect(await dialog(page).evaluate(element => element.scrollWidth - element.clientWidth)).toBe(0)
    await page.goto(`${app.origin}/sections/long`)
    await articles(page).first().waitFor()
    await screenshot(page, `long-words-history-${width}`)
    expect(await over(page)).toBe(0)
  })

  test('a million reads as one, short where there is little room and exact to whoever asks', async () => {
    const prepare = (context: BrowserContext) =>
      context.route('**/api/defects/counts', route =>
        route.fulfill({ json: { plain: 1_000_000, long: 12_345 } }),
      )
    open = await visit(browser, app, ALICE, { prepare })
    const { page } = open
    await section(page, 'Plain, 1,000,000 defects').waitFor()
    const cell = page.getByRole('listitem').filter({ hasText: 'Plain' }).locator('.number')
    expect(await cell.locator('[aria-hidden]').textContent()).toBe('1M')
    expect(await cell.getAttribute('title')).toBe('1,000,000 defects')
    expect(await cell.locator('.unseen').textContent()).toBe('1,000,000 defects')
    expect(await cell.evaluate(element => element.scrollWidth - element.clientWidth)).toBeLessThanOrEqual(0)
    expect(await page.locator('.board .count').allTextContents()).toEqual(['12.3K', '1M'])
    expect(await page.getByRole('list', { name: 'Colours of the map' }).textContent()).toContain('M')
    await screenshot(page, 'a-million')
  })

  test('a section that is one plain shape shows that it is the one looked at', async () => {
    open = await visit(browser, app, ALICE, { path: '/sections/plain' })
    const { page } = open
    const stroke = (id: string) =>
      page
        .locator(`.board [data-section=${id}] .edge`)
        .evaluate(element => Number.parseFloat(getComputedStyle(element).strokeWidth))
    await page.locator('.board [aria-current]').waitFor()
    expect(await stroke('plain')).toBeGreaterThan(await stroke('long'))
  })

  test('on paper it is dark on white with the colours of the map, from the dark theme too', async () => {
    open = await visit(browser, app, ALICE, { colorScheme: 'dark' })
    const { page } = open
    await articles(page).first().waitFor()
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
    await screenshot(page, 'print-from-dark')
    const ink = await page.locator('body').evaluate(element => getComputedStyle(element).color)
    expect(ink).toBe('rgb(23, 38, 42)')
    const swatches = await page.locator('.swatch').evaluateAll(elements =>
      elements.map(element => {
        const { backgroundColor, printColorAdjust } = getComputedStyle(element)
        return `${printColorAdjust} ${backgroundColor}`
      }),
    )
    expect(swatches).toContain('exact rgb(251, 227, 160)')
    expect(swatches.filter(swatch => !swatch.startsWith('exact'))).toEqual([])
    expect(await page.getByRole('button', { name: /^Account of/ }).isVisible()).toBe(false)
    expect(await page.locator('.list .report').first().isVisible()).toBe(false)
  })
})
