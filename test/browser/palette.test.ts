import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import AxeBuilder from '@axe-core/playwright'
import type { Browser, Page } from 'playwright-core'
import { project as makeProject, report } from '../support/api.ts'
import { ALICE, type TestApp, testApp } from '../support/app.ts'
import { until } from '../support/until.ts'
import { articles, dialog, inChromium, launch, phone, screenshot, section, text, visit } from './support.ts'

inChromium('keys and the palette', () => {
  let app: TestApp
  let browser: Browser
  let page: Page
  const fetched: string[] = []
  beforeAll(async () => {
    app = await testApp()
    browser = await launch()
    const { id } = await makeProject(app)
    for (const words of ['First', 'Second', 'Third']) await report(app.as(ALICE), id, words, 'usb-port')
    page = (await visit(browser, app, ALICE)).page
    page.on('request', request => fetched.push(request.url()))
  })
  beforeEach(async () => {
    await page.goto(app.origin)
    await articles(page).first().waitFor()
    await section(page, /USB port/).waitFor()
  })
  afterAll(async () => {
    await browser.close()
    await app.stop()
  })

  const find = () => page.getByRole('combobox', { name: 'Find' })
  const focusedText = () => page.evaluate(() => document.activeElement?.textContent ?? '')
  const violations = async (of: Page) =>
    (
      await new AxeBuilder({ page: of })
        .setLegacyMode()
        .options({ resultTypes: ['violations'] })
        .analyze()
    ).violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])

  test('it is fetched when it is first used, finds by a few letters, and gives the focus back', async () => {
    const parts = () => fetched.filter(url => /Palette|KeyList/.test(url))
    expect(parts().filter(url => !url.includes('Host'))).toEqual([])
    await section(page, /Ethernet/).focus()
    await page.keyboard.press('/')
    await find().waitFor()
    await screenshot(page, 'palette')
    expect(await violations(page)).toEqual([])
    await page.keyboard.press('Escape')
    await find().waitFor({ state: 'detached' })
    expect(await section(page, /Ethernet/).evaluate(element => element === document.activeElement)).toBe(true)
    await page.keyboard.press('Control+k')
    await page.keyboard.type('usbp')
    const first = dialog(page).getByRole('option').first()
    await until(async () => ((await first.textContent()) ?? '').includes('USB port'), 'the section is found')
    expect(await first.getAttribute('id')).toBe(await find().getAttribute('aria-activedescendant'))
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'USB port', level: 1 }).waitFor()
    await page.keyboard.press('/')
    await find().waitFor()
    expect(await dialog(page).getByRole('option').first().textContent()).toContain('USB port')
  })

  test('actions are done from it, and the report form gives the focus back to where it was', async () => {
    const port = section(page, /HDMI/)
    await port.focus()
    await page.keyboard.press('/')
    await find().fill('report hdmi')
    await page.keyboard.press('Enter')
    await dialog(page).getByRole('heading', { name: 'HDMI port' }).waitFor()
    await page.keyboard.press('Escape')
    await dialog(page).waitFor({ state: 'detached' })
    expect(await port.evaluate(element => element === document.activeElement)).toBe(true)
    await page.keyboard.press('/')
    await find().fill('nothing like it')
    await page.getByText('Nothing is called so.').waitFor()
    await find().fill('7 days')
    await page.keyboard.press('Enter')
    await until(() => page.getByRole('radio', { name: '7 days' }).isChecked(), 'seven days are counted')
  })

  test('every key does what the list of keys says', async () => {
    await page.keyboard.press('?')
    await dialog(page).getByRole('heading', { name: 'Keys' }).waitFor()
    await screenshot(page, 'keys')
    expect(await violations(page)).toEqual([])
    await page.keyboard.press('Escape')
    await dialog(page).waitFor({ state: 'detached' })
    await page.keyboard.press('n')
    await page.getByText('Put the focus on a section first').waitFor()
    await section(page, /USB port/).focus()
    await page.keyboard.press('n')
    await dialog(page).getByRole('heading', { name: 'USB port' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'History of USB port' }).focus()
    await page.keyboard.type('gh')
    await page.getByRole('heading', { name: 'USB port', level: 1 }).waitFor()
    await articles(page).first().waitFor()
    await page.keyboard.type('gf')
    expect(await focusedText()).toContain('Third')
    await page.keyboard.press('ArrowDown')
    expect(await focusedText()).toContain('Second')
    await page.keyboard.press('ArrowUp')
    expect(await focusedText()).toContain('Third')
    await page.keyboard.type('gb')
    await page.getByRole('heading', { name: 'Weak points' }).waitFor()
  })

  test('nothing fires while one types, nor once single letters are off', async () => {
    await section(page, /USB port/).click()
    await text(page).fill('')
    await page.keyboard.type('n? gb /')
    expect(await text(page).inputValue()).toBe('n? gb /')
    expect(await dialog(page).count()).toBe(1)
    await page.keyboard.press('Escape')
    await dialog(page).waitFor({ state: 'detached' })
    await page.keyboard.press('?')
    await page.getByLabel('Single letters').uncheck()
    await page.keyboard.press('Escape')
    await page.keyboard.press('?')
    await page.keyboard.press('Control+k')
    await find().waitFor()
    expect(await dialog(page).count()).toBe(1)
    await page.getByRole('button', { name: 'All keys' }).click()
    await page.getByLabel('Single letters').check()
  })

  test('it is found by touch, and fits a narrow phone with large text', async () => {
    const { page, context, complaints } = await visit(browser, app, ALICE, {
      ...phone,
      viewport: { width: 320, height: 640 },
      colorScheme: 'dark',
    })
    await page.evaluate(() => document.documentElement.style.setProperty('font-size', '32px'))
    await page.getByRole('button', { name: 'Find' }).tap()
    await page.getByRole('combobox', { name: 'Find' }).waitFor()
    await screenshot(page, 'palette-phone-large')
    const over = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    )
    expect(over).toBe(0)
    await dialog(page)
      .getByRole('option', { name: /^Memory/ })
      .tap()
    await page.getByRole('heading', { name: 'Memory', level: 1 }).waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })
})
