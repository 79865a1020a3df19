import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { project as makeProject } from '../support/api.ts'
import { ALICE, type TestApp, testApp } from '../support/app.ts'
import { fileDefects } from '../support/defects.ts'
import { articles, inChromium, launch, screenshot, visit } from './support.ts'

inChromium('the board on paper', () => {
  let app: TestApp
  let browser: Browser
  let page: Page
  beforeAll(async () => {
    app = await testApp()
    browser = await launch()
    const { id } = await makeProject(app)
    const sections =
      'memory usb-port hdmi ethernet audio-jack reset-button sd-slot flash cpu antenna regulator'
    for (const [index, sectionId] of sections.split(' ').entries())
      await fileDefects(app.db, index + 1, { projectId: id, sectionId })
    page = (await visit(browser, app, ALICE, { colorScheme: 'dark' })).page
    await articles(page).first().waitFor()
    await page.getByRole('button', { name: 'Show all 11' }).waitFor()
  })
  afterAll(async () => {
    await browser.close()
    await app.stop()
  })

  test('is one sheet', async () => {
    const pdf = await page.pdf({ format: 'A4', path: join(import.meta.dir, '../../test-output/print.pdf') })
    expect(pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)).toHaveLength(1)
  })

  test('shows map, legend and the whole list, what is counted and as of when, in light colours', async () => {
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
    await page.setViewportSize({ width: 703, height: 1032 })
    await screenshot(page, 'print-board')
    const seen = (text: string | RegExp) => page.getByText(text).first().isVisible()
    expect(await page.locator('.list li:visible').count()).toBe(11)
    expect(await page.getByRole('list', { name: 'Colours of the map' }).isVisible()).toBe(true)
    expect(await page.locator('.board svg').isVisible()).toBe(true)
    expect(await seen(/· as of \w+, \d+ \w+ 20\d\d at \d\d:\d\d/)).toBe(true)
    expect(await seen('Choose a section to report')).toBe(false)
    expect(await articles(page).first().isVisible()).toBe(false)
    expect(await page.locator(':is(button, select, fieldset):visible').count()).toBe(0)
    const paper = await page.locator('.list').evaluate(element => getComputedStyle(element).color)
    expect(paper).toBe('rgb(23, 38, 42)')
  })
})
