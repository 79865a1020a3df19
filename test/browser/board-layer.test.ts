import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { parseBoard } from '../../server/board/board.ts'
import { ALICE, type TestApp, testApp } from '../support/app.ts'
import { dialog, inChromium, launch, middle, section, type Visit, visit } from './support.ts'

const WIDTH = 400
const drawing = (root = '') => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} 300" ${root}>
  <linearGradient id="shade"><stop stop-color="#345"/><stop offset="1" stop-color="#000"/></linearGradient>
  <circle data-section="drain" data-label="Drain" cx="60" cy="60" r="20" fill="#fff"/>
  <path data-section="floor" data-label="Floor" d="M10 10h180v120h-60v-60h-120z" fill="#445"/>
  <circle data-section="led" data-label="Light" cx="300" cy="60" r="2" fill="red"/>
  <rect data-section="fuse" data-label="Fuse" x="304" y="40" width="60" height="40" fill="#a52"/>
  <g data-section="tube" data-label="Tube">
    <rect x="20" y="180" width="120" height="60" fill="url(#shade)"/><text x="50" y="225" fill="#fff">TUBE</text>
  </g>
  <g data-section="bolts" data-label="Bolts"><path d="M150 180h30v30h-30z" fill="#777"/><path d="M210 210h30v30h-30z" fill="#777"/></g>
  <path data-section="wire" data-label="Wire" d="M180 260h200" fill="none" stroke="#000"/>
  <rect width="${WIDTH}" height="170" fill="#fff" fill-opacity="0.2"/>
</svg>`
const counts = { drain: 1, floor: 2, led: 3, fuse: 0, tube: 4, bolts: 5, wire: 0 }

inChromium('the layer of sections above a drawing', () => {
  let app: TestApp
  let browser: Browser
  let open: Visit
  beforeAll(async () => {
    app = await testApp()
    browser = await launch()
  })
  afterEach(async () => {
    await open.context.close()
    expect(open.complaints).toEqual([])
  })
  afterAll(async () => {
    await browser.close()
    await app.stop()
  })

  async function show(root = '', options: Parameters<typeof visit>[3] = {}): Promise<Page> {
    const { svg } = parseBoard(drawing(root))
    open = await visit(browser, app, ALICE, {
      ...options,
      prepare: async context => {
        await context.route('**/board.svg', route =>
          route.fulfill({ body: svg, contentType: 'image/svg+xml' }),
        )
        await context.route('**/api/defects/counts*', route => route.fulfill({ json: counts }))
      },
    })
    await section(open.page, /Light, 3 defects/).waitFor()
    // numbers stand there once the layer is in place
    await open.page.locator('.board .count').first().waitFor()
    return open.page
  }

  /** Presses a place of the drawing; the title of the dialog that opens. */
  async function press(page: Page, x: number, y: number, pixels = { x: 0, y: 0 }): Promise<string> {
    const board = (await page.locator('.board > svg').boundingBox())!
    const scale = board.width / WIDTH
    await page.mouse.click(board.x + x * scale + pixels.x, board.y + y * scale + pixels.y)
    const title = dialog(page).getByRole('heading', { level: 2 })
    await title.waitFor()
    const text = (await title.textContent())!.replace('Report a defect', '').trim()
    await page.keyboard.press('Escape')
    await title.waitFor({ state: 'detached' })
    return text
  }

  const style = (page: Page, selector: string, name: string) =>
    page.locator(selector).evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), name)

  test('a section is pressed on its own outline, whatever is drawn over it, and the smaller of two', async () => {
    const page = await show()
    expect(await press(page, 20, 20)).toBe('Floor')
    expect(await press(page, 60, 60)).toBe('Drain')
    expect(await press(page, 160, 100)).toBe('Floor')
  })

  test('what is smaller than a finger is pressed beside it as well, where nothing else lies', async () => {
    const page = await show()
    expect(await press(page, 300, 60, { x: -11, y: 0 })).toBe('Light')
    expect(await press(page, 304, 60, { x: 2, y: 0 })).toBe('Fuse')
    expect(await press(page, 280, 260, { x: 0, y: 11 })).toBe('Wire')
  })

  test('people who use the keyboard meet the sections in the order of the drawing', async () => {
    const page = await show()
    const names = await page
      .locator('.board [role=button]')
      .evaluateAll(buttons => buttons.map(button => button.ariaLabel?.split(',')[0]))
    expect(names).toEqual(['Floor', 'Drain', 'Light', 'Fuse', 'Tube', 'Bolts', 'Wire'])
    await section(page, /Fuse/).focus()
    await page.keyboard.press('Enter')
    await dialog(page).getByRole('heading', { name: 'Fuse' }).waitFor()
    await page.keyboard.press('Escape')
    expect(await page.evaluate(() => document.activeElement?.ariaLabel)).toBe('Fuse, 0 defects')
  })

  test('heat takes the place of a flat fill, lies on any other below the words, and tints what has no ground', async () => {
    const page = await show()
    const heat = (label: string) => style(page, `ol li:has-text("${label}") .swatch`, 'background-color')
    expect(await style(page, '.board .section[data-label=Floor]', 'fill')).toBe(await heat('Floor'))
    expect(await style(page, '.board [data-section=floor] .edge', 'fill')).toBe('rgba(0, 0, 0, 0)')
    expect(await style(page, '.board .section[data-label=Tube] rect + .section-area', 'fill')).toBe(
      await heat('Tube'),
    )
    expect(await page.locator('.board [data-section=tube] .tinted').count()).toBe(0)
    const bolts = page.locator('.board [data-section=bolts] .tinted .edge').first()
    expect(await bolts.evaluate(element => getComputedStyle(element).fill)).toBe(await heat('Bolts'))
    expect(await style(page, '.board .section[data-label=Fuse]', 'fill')).toBe('rgb(170, 85, 34)')
  })

  test('numbers stand in the middle of their section where there is room; none at all only when one looks', async () => {
    const page = await show()
    expect((await page.locator('.board .count').allTextContents()).sort()).toEqual(['1', '2', '4', '5'])
    await section(page, /Fuse/).focus()
    const number = page.locator('.board .count', { hasText: '0' })
    const [badge, fuse] = await Promise.all([middle(number), middle(section(page, /Fuse/))])
    expect(Math.hypot(badge.x - fuse.x, badge.y - fuse.y)).toBeLessThan(5)
    const [four, word] = await Promise.all([
      page.locator('.board .count', { hasText: '4' }).boundingBox(),
      page.locator('.board text').boundingBox(),
    ])
    const isAbove = four!.y + four!.height <= word!.y
    expect(isAbove || four!.x >= word!.x + word!.width).toBe(true)
  })

  test('with forced colours a drawing keeps its own, its light sheet and an outline of each section', async () => {
    const page = await show('', { forcedColors: 'active', colorScheme: 'dark' })
    expect(await style(page, '.board', 'background-color')).toBe('rgb(255, 255, 255)')
    expect(await style(page, '.board [data-section=fuse] .edge', 'stroke')).toBe('rgb(23, 38, 42)')
  })

  test('a drawing that says so stands in the dark as it is', async () => {
    const page = await show('data-dark="own"', { colorScheme: 'dark' })
    expect(await style(page, '.board', 'background-color')).toBe('rgba(0, 0, 0, 0)')
  })
})
