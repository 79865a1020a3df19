import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { ALICE, type TestApp, testApp } from '../support/app.ts'
import { until } from '../support/until.ts'
import { dialog, inChromium, launch, middle, phone, section, type Visit, visit } from './support.ts'

inChromium('the map looked at closer', () => {
  let app: TestApp
  let browser: Browser
  let open: Visit
  let page: Page
  beforeAll(async () => {
    app = await testApp()
    browser = await launch()
    open = await visit(browser, app, ALICE)
    page = open.page
    await section(page, /Processor/).waitFor()
  })
  afterAll(async () => {
    expect(open.complaints).toEqual([])
    await browser.close()
    await app.stop()
  })

  const widthOf = async (selector: string) => (await page.locator(selector).boundingBox())!.width
  const drawn = () => widthOf('.board > svg')
  const button = (name: string) => page.getByRole('button', { name, exact: true })

  test('buttons bring it closer and back, without moving what is around it', async () => {
    const [frame, whole] = [await widthOf('.board-frame'), await drawn()]
    const places = () =>
      page.evaluate(() =>
        [...document.querySelectorAll('#feed, .board-frame')].map(
          element => element.getBoundingClientRect().top + scrollY,
        ),
      )
    const before = await places()
    await button('Zoom in').click()
    expect(await drawn()).toBeGreaterThan(1.4 * whole)
    await button('Zoom out').click()
    await button('Zoom out').click()
    expect(await drawn()).toBeCloseTo(whole)
    await button('Zoom in').click()
    await button('Fit').click()
    expect(await drawn()).toBeCloseTo(whole)
    expect(await widthOf('.board-frame')).toBeCloseTo(frame)
    expect(await places()).toEqual(before)
  })

  test('the keys + − 0 do the same for who is on the map', async () => {
    const whole = await drawn()
    await section(page, /Processor/).focus()
    await page.keyboard.press('+')
    expect(await drawn()).toBeGreaterThan(1.4 * whole)
    await page.keyboard.press('-')
    expect(await drawn()).toBeCloseTo(whole)
    await page.keyboard.press('+')
    await page.keyboard.press('0')
    expect(await drawn()).toBeCloseTo(whole)
  })

  test('the wheel with Ctrl keeps the place under the pointer, and alone scrolls the page', async () => {
    const [whole, at] = [await drawn(), await middle(section(page, /Processor/))]
    await page.mouse.move(at.x, at.y)
    await page.keyboard.down('Control')
    await until(async () => {
      await page.mouse.wheel(0, -100)
      return (await drawn()) > 2.5 * whole
    }, 'it is closer')
    await page.keyboard.up('Control')
    const now = await middle(section(page, /Processor/))
    expect(Math.hypot(now.x - at.x, now.y - at.y)).toBeLessThan(4)
    await page.mouse.click(at.x, at.y)
    await dialog(page)
      .getByRole('heading', { name: /Processor/ })
      .waitFor()
    await page.keyboard.press('Escape')
    await button('Fit').click()
    await page.mouse.move(at.x, at.y)
    await page.mouse.wheel(0, 200)
    await until(() => page.evaluate(() => scrollY > 0))
    await page.evaluate(() => scrollTo(0, 0))
  })

  test('dragged with the mouse it moves and opens nothing', async () => {
    await button('Zoom in').click()
    await button('Zoom in').click()
    const [before, at] = [
      await middle(section(page, /Processor/)),
      await middle(page.locator('.board-frame')),
    ]
    await page.mouse.move(at.x, at.y)
    await page.mouse.down()
    await page.mouse.move(at.x - 30, at.y - 20)
    await page.mouse.move(at.x - 60, at.y - 40)
    await page.mouse.up()
    const after = await middle(section(page, /Processor/))
    expect(before.x - after.x).toBeCloseTo(60, 0)
    expect(before.y - after.y).toBeCloseTo(40, 0)
    expect(await dialog(page).count()).toBe(0)
    await button('Fit').click()
  })

  test('two fingers pinch it, and one finger moves it', async () => {
    const touch = await visit(browser, app, ALICE, phone)
    const client = await touch.context.newCDPSession(touch.page)
    const board = touch.page.locator('.board > svg')
    const size = async () => (await board.boundingBox())!.width
    await section(touch.page, /Processor/).waitFor()
    const [whole, at] = [await size(), await middle(section(touch.page, /Processor/))]
    const fingers = async (type: string, apart: number) => {
      const touchPoints = apart
        ? [
            { x: at.x - apart, y: at.y },
            { x: at.x + apart, y: at.y },
          ]
        : []
      await client.send('Input.dispatchTouchEvent', { type: type as 'touchStart', touchPoints })
    }
    await until(async () => {
      await fingers('touchStart', 20)
      for (const apart of [25, 30, 40, 50]) await fingers('touchMove', apart)
      await fingers('touchEnd', 0)
      return (await size()) > 1.5 * whole
    }, 'it is closer')
    const now = await middle(section(touch.page, /Processor/))
    expect(Math.hypot(now.x - at.x, now.y - at.y)).toBeLessThan(6)
    expect(await touch.page.evaluate(() => visualViewport?.scale)).toBe(1)
    expect(await dialog(touch.page).count()).toBe(0)
    expect(touch.complaints).toEqual([])
    await touch.context.close()
  })

  test('a section out of sight comes into it with the focus', async () => {
    await button('Zoom in').click()
    await button('Zoom in').click()
    await button('Zoom in').click()
    const frame = (await page.locator('.board-frame').boundingBox())!
    const inSight = async (name: RegExp) => {
      const { x, y } = await middle(section(page, name))
      return x > frame.x && x < frame.x + frame.width && y > frame.y && y < frame.y + frame.height
    }
    expect(await inSight(/Antenna/)).toBe(false)
    await section(page, /Antenna/).focus()
    await until(() => inSight(/Antenna/), 'it is in sight')
    await button('Fit').click()
  })

  test('on paper it is whole', async () => {
    await button('Zoom in').click()
    await page.emulateMedia({ media: 'print' })
    const [frame, picture] = [await widthOf('.board-frame'), await drawn()]
    expect(picture).toBeCloseTo(frame)
    await page.emulateMedia({ media: 'screen' })
    await button('Fit').click()
  })
})

inChromium('a drawing with wide margins', () => {
  test('is shown without them', async () => {
    const home = mkdtempSync(join(tmpdir(), 'faultline-crop-'))
    const file = join(home, 'board.svg')
    writeFileSync(
      file,
      `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1000 1000">
        <rect data-section="pump" data-label="Pump" x="700" y="500" width="200" height="100" fill="#8899aa"/></svg>`,
    )
    const [app, browser] = await Promise.all([testApp({ env: { BOARD_FILE: file } }), launch()])
    const { page } = await visit(browser, app, ALICE)
    await section(page, /Pump/).waitFor()
    const [x, y, width, height] = (await page.locator('.board > svg').getAttribute('viewBox'))!
      .split(' ')
      .map(Number)
    expect([x, y, width, height]).toEqual([694, 494, 212, 112])
    await browser.close()
    await app.stop()
    rmSync(home, { recursive: true })
  })
})
