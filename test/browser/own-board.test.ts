import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { project as makeProject, report } from '../support/api.ts'
import { ALICE, type TestApp, testApp } from '../support/app.ts'
import { dialog, inChromium, launch, middle, screenshot, section, visit } from './support.ts'

const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="300" height="200">
  <rect width="300" height="200" fill="#335" style="stroke:#112;stroke-width:4"/>
  <text x="150" y="20" fill="#fff" text-anchor="middle">Pump station</text>
  <rect data-section="tank" aria-label="Tank" x="20" y="40" width="80" height="120" fill="#778"/>
  <g data-section="pump" transform="translate(130 60)">
    <title>Main pump</title>
    <circle cx="40" cy="40" r="40" fill="#99a"/>
    <path d="M10 40h60" stroke="#000" stroke-width="6"/>
  </g>
  <rect data-section="pump" x="180" y="150" width="40" height="20" fill="#99a"/>
  <rect data-section="sink" data-label="Sink" x="20" y="180" width="80" height="15" fill="#456" stroke="#123" stroke-width="2"/>
  <g data-section="valve" data-label="Valve"><path d="M240 80l40 40v-40l-40 40z" fill="#aab"/></g>
</svg>`

inChromium('a drawing of one’s own as the board', () => {
  let app: TestApp
  let browser: Browser
  const home = mkdtempSync(join(tmpdir(), 'faultline-board-'))
  beforeAll(async () => {
    await Bun.write(join(home, 'board.svg'), drawing)
    app = await testApp({ env: { BOARD_FILE: join(home, 'board.svg') } })
    browser = await launch()
  })
  afterAll(async () => {
    await browser.close()
    await app.stop()
    rmSync(home, { recursive: true, force: true })
  })

  test('shapes and groups become sections with number, colour and name', async () => {
    const hinge = await makeProject(app)
    for (const words of ['Leaks', 'Leaks more']) await report(app.as(ALICE), hinge.id, words, 'pump')
    await report(app.as(ALICE), hinge.id, 'Rust', 'tank')
    const { page, complaints } = await visit(browser, app, ALICE)
    await section(page, 'Tank, 1 defect').waitFor()
    await section(page, 'Main pump, 2 defects').waitFor()
    await section(page, 'Valve, 0 defects').waitFor()
    await screenshot(page, 'board-of-ones-own')
    const colour = (label: string) =>
      page
        .locator(`.board .section[data-label="${label}"]`)
        .first()
        .evaluate(element => getComputedStyle(element.querySelector('.section-area') ?? element).fill)
    expect(new Set(await Promise.all(['Tank', 'Main pump', 'Valve'].map(colour))).size).toBe(3)
    const number = page.locator('.board .count', { hasText: '2' })
    const [wheel, badge] = await Promise.all([middle(page.locator('.board circle').first()), middle(number)])
    expect(Math.hypot(badge.x - wheel.x, badge.y - wheel.y)).toBeLessThan(20)
    await section(page, /Main pump/).click()
    await dialog(page).getByRole('heading', { name: 'Main pump' }).waitFor()
    await dialog(page).getByText('Leaks more').waitFor()
    expect(complaints).toEqual([])
    await page.context().close()
  })

  test('a section of several elements is one button, coloured and opened by each of them', async () => {
    const { page, complaints } = await visit(browser, app, ALICE)
    await section(page, /Main pump/).waitFor()
    expect(await section(page, /pump/).count()).toBe(1)
    const parts = page.locator('.board .section[data-label="Main pump"]')
    expect(await parts.evaluateAll(elements => elements.map(({ dataset }) => dataset.step))).toEqual([
      '2',
      '2',
    ])
    const { x, y } = await middle(parts.nth(1))
    await page.mouse.move(x, y)
    await page.locator('.board .tip', { hasText: 'Main pump' }).waitFor()
    expect(await section(page, /Main pump/).getAttribute('class')).toContain('named')
    await page.mouse.click(x, y)
    await dialog(page).getByRole('heading', { name: 'Main pump' }).waitFor()
    expect(complaints).toEqual([])
    await page.context().close()
  })

  test('in the dark a drawing stands on a light sheet in the colours of its legend, and what has no defects as it was drawn', async () => {
    const { page, complaints } = await visit(browser, app, ALICE, { colorScheme: 'dark' })
    await section(page, /Tank, 1 defect/).waitFor()
    await screenshot(page, 'board-of-ones-own-dark')
    const style = (selector: string, name: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), name)
    expect(await style('.board', 'background-color')).toBe('rgb(255, 255, 255)')
    expect(await style('body', 'color')).toBe('rgb(230, 237, 236)')
    expect(await style('.board .section[data-label=Sink]', 'fill')).toBe('rgb(68, 85, 102)')
    expect(await style('.board .section[data-label=Sink]', 'stroke')).toBe('rgb(17, 34, 51)')
    expect(await style('.board .section[data-label=Valve] path', 'fill')).toBe('rgb(170, 170, 187)')
    expect(await style('.board .section[data-label=Valve] path', 'stroke')).toBe('none')
    const heat = 'rgb(251, 227, 160)'
    expect(await style('.board .section[data-label=Tank]', 'fill')).toBe(heat)
    expect(await style('ul .swatch[data-step="1"]', 'background-color')).toBe(heat)
    expect(await style('ol .swatch[data-step="1"]', 'background-color')).toBe(heat)
    expect(complaints).toEqual([])
    await page.context().close()
  })
})
