import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import AxeBuilder from '@axe-core/playwright'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { faultline, type Going, going, home } from '../support/cli.ts'
import { drawings, noDrawings } from '../support/drawings.ts'
import { photograph } from '../support/picture.ts'
import { until } from '../support/until.ts'
import { desktop, inChromium, launch, screenshot } from './support.ts'

/** As Illustrator writes: a style sheet, names in ids; and a box of a diagram with its words beside it. */
const PLAN = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 200">
  <style>.st0 { fill: #ccd } .st1 { fill: #99a }</style>
  <rect class="st0" width="400" height="200"/>
  <g id="Main_x20_pump"><circle class="st1" cx="60" cy="60" r="30"/><circle class="st1" cx="110" cy="60" r="20"/></g>
  <g id="g12"><rect class="st1" x="160" y="30" width="100" height="60"/><foreignObject x="160" y="30" width="100" height="60"><div xmlns="http://www.w3.org/1999/xhtml" style="text-align:center">Queue</div></foreignObject></g>
  <path class="st1" d="M300 30h60v60z"/><path class="st1" d="M300 120h60v40z"/>
</svg>`
const place = home()

interface Open {
  page: Page
  editor: Going
  complaints: string[]
  /** Ends the command as people do. */
  end(): Promise<number>
}

inChromium('the editor of boards', () => {
  let browser: Browser
  let open: Open
  beforeAll(async () => {
    browser = await launch()
  })
  afterEach(async () => {
    await open.page.context().close()
    expect(open.complaints).toEqual([])
    expect(await open.end()).toBe(0)
  })
  afterAll(async () => {
    await browser.close()
    place.remove()
  })

  async function edit(file: string, out?: string, options: BrowserContextOptions = {}): Promise<Page> {
    const editor = going(['board', 'edit', file, ...(out ? ['-o', out] : [])], { cwd: place.path })
    const [url = ''] = /http:\S+/.exec(await editor.says(/http:\S+/)) ?? []
    const context = await browser.newContext({ ...desktop, reducedMotion: 'reduce', ...options })
    const page = await context.newPage()
    const complaints: string[] = []
    page.on('pageerror', error => complaints.push(String(error)))
    page.on('console', message => {
      if (message.type() === 'error' && !/409/.test(message.text())) complaints.push(message.text())
    })
    page.on('request', request => {
      if (!request.url().startsWith(new URL(url).origin)) complaints.push(`foreign request: ${request.url()}`)
    })
    open = { page, editor, complaints, end: () => editor.signal('SIGINT') }
    await page.goto(url)
    await page.locator('.stage .above').waitFor()
    return page
  }

  const name = (page: Page) => page.getByLabel('Name', { exact: true })
  const labels = async (page: Page) =>
    (await page.getByRole('region', { name: 'Sections' }).locator('.name').allInnerTexts()).map(text =>
      text.split('\n'),
    )
  const isFine = (page: Page) => page.getByText('This can be a board.').waitFor()

  async function click(page: Page, x: number, y: number, modifiers: ('Shift' | 'Alt')[] = []): Promise<void> {
    const stage = page.locator('.stage')
    const { width, height } = (await stage.boundingBox())!
    await stage.click({ position: { x: x * width, y: y * height }, modifiers })
  }

  /** What the command itself says of the file. */
  async function checked(file: string): Promise<{ ok: boolean; sections: { id: string; label: string }[] }> {
    const { out } = await faultline(['board', 'check', file, '--json'], { cwd: place.path })
    return JSON.parse(out)
  }

  test('a drawing becomes a board of three sections by mouse and by keys, and the old file is kept', async () => {
    writeFileSync(place.file('plan.svg'), PLAN)
    const page = await edit('plan.svg')
    await page.getByText('A board needs sections').waitFor()
    await page.getByText('What the import changed').waitFor()
    await click(page, 0.15, 0.3)
    await page.keyboard.press('ArrowUp')
    expect(await name(page).inputValue()).toBe('Main pump')
    await page.keyboard.press('Enter')
    await click(page, 0.52, 0.25)
    expect(await name(page).inputValue()).toBe('Queue')
    await name(page).fill('Print queue')
    await page.getByRole('button', { name: 'Make it a section' }).click()
    await click(page, 0.85, 0.2)
    await click(page, 0.85, 0.65, ['Shift'])
    await page.getByText('2 elements').waitFor()
    await name(page).fill('Roof')
    await page.keyboard.press('Enter')
    expect(await labels(page)).toEqual([
      ['Main pump', 'main-pump'],
      ['Print queue', 'print-queue'],
      ['Roof', 'roof'],
    ])
    await isFine(page)
    await screenshot(page, 'board-editor')

    await page.keyboard.press('Control+s')
    await page.getByRole('dialog').getByRole('button', { name: 'Leave it' }).click()
    expect(readFileSync(place.file('plan.svg'), 'utf8')).toBe(PLAN)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Replace it' }).click()
    await page.getByText(/^Saved to .*The old file is .*plan\.svg\.bak\.$/).waitFor()
    expect(readFileSync(place.file('plan.svg.bak'), 'utf8')).toBe(PLAN)
    await open.editor.says(/^Saved .*plan\.svg, 3 sections\./)
    const { ok, sections } = await checked('plan.svg')
    expect([ok, sections.map(({ id }) => id)]).toEqual([true, ['main-pump', 'print-queue', 'roof']])
  })

  test('sections are renamed, joined, taken apart and removed, and each step is undone', async () => {
    const page = await edit('plan.svg', 'other.svg')
    expect((await labels(page)).length).toBe(3)
    await page.getByRole('button', { name: /^Roof/ }).click()
    await name(page).fill('')
    await page.keyboard.press('Enter')
    await page.getByText('Say what people call it.').waitFor()
    await name(page).fill('Gable')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: /^Gable/ }).waitFor()
    await page.getByRole('button', { name: 'Take this part out' }).click()
    await page.getByRole('button', { name: 'Remove Print queue' }).click()
    expect(await labels(page)).toEqual([
      ['Main pump', 'main-pump'],
      ['Gable', 'roof'],
    ])
    await click(page, 0.85, 0.2)
    await page.getByLabel('or a part of').selectOption('Main pump')
    await page.getByRole('button', { name: 'Join' }).click()
    await page.getByText('one of 2 parts').waitFor()
    for (let step = 0; step < 4; step++) await page.getByRole('button', { name: 'Undo' }).click()
    expect(await labels(page)).toEqual([
      ['Main pump', 'main-pump'],
      ['Print queue', 'print-queue'],
      ['Roof', 'roof'],
    ])
    await page.getByRole('button', { name: 'Redo' }).click()
    await page.getByRole('button', { name: /^Gable/ }).waitFor()

    await page.getByRole('button', { name: 'Preview' }).click()
    await page.locator('.ground .board .count').first().waitFor()
    await page.getByLabel('dark').check()
    await page.getByLabel('as wide as a phone').check()
    await page.locator('.ground.dark.phone .board .count').first().waitFor()
    expect((await page.locator('.ground').boundingBox())!.width).toBeLessThanOrEqual(360)
    expect(await page.locator('.ground').evaluate(element => getComputedStyle(element).backgroundColor)).toBe(
      'rgb(14, 22, 24)',
    )
    expect(existsSync(place.file('other.svg'))).toBe(false)
  })

  test('a photograph becomes a board of three sections: pulled, clicked, and drawn with keys alone', async () => {
    writeFileSync(place.file('hall.png'), photograph(400, 300))
    const page = await edit('hall.png')
    await page.getByRole('button', { name: 'Rectangle' }).click()
    const { x, y, width, height } = (await page.locator('.stage').boundingBox())!
    await page.mouse.move(x + width * 0.1, y + height * 0.1)
    await page.mouse.down()
    await page.mouse.move(x + width * 0.4, y + height * 0.4)
    await page.mouse.up()
    await name(page).fill('Press')
    await page.keyboard.press('Enter')

    await page.getByRole('button', { name: 'Polygon' }).click()
    for (const [across, down] of [
      [0.6, 0.1],
      [0.9, 0.2],
      [0.7, 0.5],
      [0.6, 0.1],
    ] as const)
      await click(page, across, down)
    await name(page).fill('Lathe')
    await page.keyboard.press('Enter')

    await page.locator('.stage').press('r')
    for (const key of [
      'ArrowDown',
      'ArrowDown',
      'Enter',
      'ArrowDown',
      'ArrowRight',
      'Shift+ArrowRight',
      'Enter',
    ])
      await page.keyboard.press(key)
    await name(page).fill('Drill')
    await page.keyboard.press('Enter')
    await isFine(page)
    await page.keyboard.press('Control+s')
    await page.getByText(/^Saved to .*hall\.svg\.$/).waitFor()
    const { ok, sections } = await checked('hall.svg')
    expect([ok, sections.map(({ label }) => label)]).toEqual([true, ['Press', 'Lathe', 'Drill']])
    expect(readFileSync(place.file('hall.svg'), 'utf8')).toContain('width="11" height="10"')
  })

  test('leaving with something unsaved is asked about, and not afterwards', async () => {
    const page = await edit('plan.svg', 'left.svg')
    const asked: string[] = []
    page.on('dialog', async dialog => {
      asked.push(dialog.type())
      await dialog.dismiss()
    })
    await page.getByRole('button', { name: 'Remove Roof' }).click()
    await page.close({ runBeforeUnload: true })
    await until(() => asked.length > 0)
    await page.keyboard.press('Control+s')
    await page.getByText('Saved to').waitFor()
    expect(asked).toEqual(['beforeunload'])
    const closed = page.waitForEvent('close')
    await page.close({ runBeforeUnload: true })
    await closed
    expect(asked).toEqual(['beforeunload'])
  })

  test.each(['light', 'dark', 'narrow'])('it is without fault to axe: %s', async setting => {
    const narrow = setting === 'narrow'
    const page = await edit('plan.svg', 'axe.svg', {
      colorScheme: setting === 'dark' ? 'dark' : 'light',
      ...(narrow && { viewport: { width: 320, height: 640 } }),
    })
    await click(page, 0.95, 0.95)
    expect(await name(page).inputValue()).toBe('Section 4')
    await page.getByText('Keys', { exact: true }).click()
    await isFine(page)
    await screenshot(page, `board-editor-${setting}`)
    const { violations } = await new AxeBuilder({ page })
      .setLegacyMode()
      .options({ resultTypes: ['violations'] })
      .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'])
      .analyze()
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([])
    expect(
      await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth),
    ).toBe(0)
  })

  /** Where three things are to be seen on each, and what they are then called. */
  const foreign: Record<string, [x: number, y: number, label: string][]> = {
    'wk-st7789.svg': [
      [0.5, 0.5, 'Section 1'],
      [0.5, 0.85, 'Section 2'],
      [0.48, 0.95, 'ST7789 1.54” TFT'],
    ],
    'dio-ras.svg': [
      [0.502, 0.435, 'SER helpers'],
      [0.7216, 0.435, 'RAS error records'],
      [0.131, 0.93, 'Exception Handling Framework'],
    ],
  }
  const there = drawings.filter(path => basename(path) in foreign)
  describe.skipIf(!there.length)(`a file of Illustrator and one of draw.io${noDrawings}`, () => {
    test.each(there.map(path => [basename(path), path] as const))(
      '%s becomes a board of three sections',
      async (file, path) => {
        const unmarked = readFileSync(path, 'utf8').replace(/ data-(section|label)="[^"]*"/g, '')
        writeFileSync(place.file(file), unmarked)
        const page = await edit(file, `board-${file}`)
        for (const [x, y] of foreign[file]!) {
          await click(page, x, y)
          await page.keyboard.press('Enter')
        }
        await isFine(page)
        await page.keyboard.press('Control+s')
        await page.getByText('Saved to').waitFor()
        const { ok, sections } = await checked(`board-${file}`)
        expect(ok).toBe(true)
        expect(sections.map(({ label }) => label).sort()).toEqual(
          foreign[file]!.map(([, , label]) => label).sort(),
        )
      },
    )
  })
})
