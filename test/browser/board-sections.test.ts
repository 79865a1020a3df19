import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { basename } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { type Board, BoardFaults, loadBoard } from '../../server/board/board.ts'
import { ALICE, type TestApp, testApp } from '../support/app.ts'
import { drawings, noDrawings } from '../support/drawings.ts'
import { dialog, inChromium, launch, middle, screenshot, type Visit, visit } from './support.ts'

/** A body under covers, a board of thin parts, rooms with furniture; all drawings in the long run. */
const everyDay = ['body-map.svg', 'fz-hifive.svg', 'fp-flat.svg']
const pressed = process.env.FAULTLINE_LONG
  ? drawings
  : drawings.filter(path => everyDay.includes(basename(path)))

describe.skipIf(!pressed.length)(`sections of drawings of many programs${noDrawings}`, () => {
  inChromium('are opened where they are drawn', () => {
    let app: TestApp
    let browser: Browser
    let open: Visit
    beforeAll(async () => {
      app = await testApp()
      browser = await launch()
    })
    afterEach(async () => {
      await open.context.close()
      // what a drawing of another program says of itself is not the page's fault
      expect(open.complaints.filter(complaint => !/^Error: <\w+> attribute/.test(complaint))).toEqual([])
    })
    afterAll(async () => {
      await browser.close()
      await app.stop()
    })

    test.each(pressed.map(path => [basename(path), path] as const))('%s', async (name, path) => {
      const board = boardOf(path)
      open = await showBoard(app, browser, board ?? loadBoard())
      if (!board) return
      const { page } = open
      await page.locator('.board .section-button').first().waitFor()
      // Past and trends come late, and move what lies below.
      await page.waitForLoadState('networkidle')
      await screenshot(page, `pressed-${name}`)
      const wrong: string[] = []
      for (const { id, label } of pressable(board)) {
        // first what may scroll the page
        const badge = await badgeOf(page, id)
        const points = await page.evaluate(pointsOn, { id, ids: marked(board), seed: name.length })
        for (const [where, point] of [
          ['badge', badge] as const,
          ...points.map(point => ['point', point] as const),
        ]) {
          const opened = await press(page, point)
          if (opened !== label) wrong.push(`${id} at its ${where} ${point.x} ${point.y}: ${opened}`)
        }
      }
      expect(wrong).toEqual([])
    })
  })
})

interface Point {
  x: number
  y: number
}

function boardOf(path: string): Board | undefined {
  try {
    return loadBoard(path)
  } catch (error) {
    if (error instanceof BoardFaults) return undefined
    throw error
  }
}

/** The page with another board than the server's. */
function showBoard(app: TestApp, browser: Browser, { svg, sections, images }: Board): Promise<Visit> {
  const counts = Object.fromEntries([...sections.keys()].map((id, index) => [id, index * index]))
  return visit(browser, app, ALICE, {
    prepare: async context => {
      await context.route('**/board.svg', route => route.fulfill({ body: svg, contentType: 'image/svg+xml' }))
      await context.route('**/api/defects/counts*', route => route.fulfill({ json: counts }))
      await context.route('**/board/images/*', route => {
        const { bytes, type } = images.get(new URL(route.request().url()).pathname)!
        return route.fulfill({ body: Buffer.from(bytes), contentType: type })
      })
    },
  })
}

/** By section, in the order of the drawing's elements. */
const marked = ({ svg }: Board) => [...svg.matchAll(/ data-section="([^"]*)"/g)].map(([, id]) => id!)

/** Those of which nobody was warned that they cannot be pressed. */
function pressable({ sections, warnings }: Board) {
  const warned = warnings.map(({ text }) => text).join('\n')
  return [...sections.values()].filter(({ id }) => !warned.includes(`section "${id}" `))
}

async function badgeOf(page: Page, id: string): Promise<Point> {
  // When the page scrolls under it, a pointer at rest would name what comes to lie there.
  await page.mouse.move(0, 0)
  await page.locator(`.board .section-button[data-section="${id}"]`).focus()
  return middle(page.locator('.board .count.named'))
}

/** The title of the dialog that a click opens; closed again. */
async function press(page: Page, { x, y }: Point): Promise<string> {
  await page.mouse.click(x, y)
  const title = dialog(page).getByRole('heading', { level: 2 })
  const opened = await title.waitFor().then(
    () => true,
    () => false,
  )
  if (!opened) return 'nothing'
  const text = (await title.textContent()) ?? ''
  await page.keyboard.press('Escape')
  await title.waitFor({ state: 'detached' })
  return text.replace('Report a defect', '').trim()
}

/** Three points at random on what a section draws, which no smaller section covers; found from the drawing itself. */
function pointsOn({ id, ids, seed }: { id: string; ids: string[]; seed: number }): Point[] {
  const board = document.querySelector('.board > svg')!.getBoundingClientRect()
  const random = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return seed / 2_147_483_648
  }
  const elements = [...document.querySelectorAll('.board > svg .section')]
  const shapesOf = (section: string) =>
    elements
      .filter((_, index) => ids[index] === section)
      .flatMap(element => [element, ...element.querySelectorAll('*')])
      .filter(element => element instanceof SVGGeometryElement)
      .filter(element => {
        const { visibility, display, fill, opacity } = getComputedStyle(element)
        return (
          visibility === 'visible' &&
          display !== 'none' &&
          fill !== 'none' &&
          opacity !== '0' &&
          !element.closest('defs, clipPath, mask, pattern, symbol, marker')
        )
      })
  const contains = (shape: SVGGeometryElement, { x, y }: Point) =>
    shape.isPointInFill(new DOMPoint(x, y).matrixTransform(shape.getScreenCTM()!.inverse()))
  const pick = (shapes: SVGGeometryElement[]): Point | undefined => {
    const boxes = shapes.map(shape => shape.getBoundingClientRect())
    let rest = random() * boxes.reduce((sum, { width, height }) => sum + width * height, 0)
    const index = boxes.findIndex(({ width, height }) => {
      rest -= width * height
      return rest <= 0
    })
    const box = boxes[index]
    if (!box) return undefined
    const point = { x: box.x + random() * box.width, y: box.y + random() * box.height }
    return contains(shapes[index]!, point) ? point : undefined
  }
  const areaOf = (shapes: SVGGeometryElement[]) =>
    shapes.reduce((sum, shape) => {
      const { x, y, width, height } = shape.getBoundingClientRect()
      let inside = 0
      for (let n = 0; n < 50; n++)
        if (contains(shape, { x: x + random() * width, y: y + random() * height })) inside++
      return sum + (inside / 50) * width * height
    }, 0)
  const shapes = shapesOf(id)
  const area = areaOf(shapes)
  const others = [...new Set(ids)].filter(other => other !== id).map(shapesOf)
  const smaller = others.filter(other => areaOf(other) < area * 1.5)
  const points: Point[] = []
  for (let tries = 0; tries < 300 && points.length < 3; tries++) {
    const point = pick(shapes)
    if (!point || smaller.some(other => other.some(shape => contains(shape, point)))) continue
    const { x, y } = point
    if (x > board.left && x < board.right && y > board.top && y < board.bottom) points.push(point)
  }
  return points
}
