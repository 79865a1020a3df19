import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { project as makeProject, report } from '../support/api.ts'
import { ALICE, BOB, type TestApp, testApp } from '../support/app.ts'
import { until } from '../support/until.ts'
import { articles, desktop, inChromium, launch, phone, screenshot, visit } from './support.ts'

declare const shifted: number
declare global {
  interface PerformanceEntry {
    value: number
  }
}

inChromium('the page on any screen', () => {
  let app: TestApp
  let browser: Browser
  beforeAll(async () => {
    app = await testApp()
    browser = await launch()
    const hinge = await makeProject(app)
    for (let n = 0; n < 12; n++) await report(app.as(BOB), hinge.id, `Report ${n}`, 'memory')
    await report(app.as(BOB), hinge.id, 'Burnt', 'audio-jack')
  })
  afterAll(async () => {
    await browser.close()
    await app.stop()
  })

  const ready = (page: Page) => articles(page).first().waitFor()

  test.each([768, 1920])('it fits a width of %d', async width => {
    const { page, context } = await visit(browser, app, ALICE, { viewport: { width, height: 1080 } })
    await ready(page)
    await screenshot(page, `board-${width}`)
    const over = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    )
    expect(over).toBe(0)
    await context.close()
  })

  test('with forced colours the sections are told apart by outline and number', async () => {
    const { page, context } = await visit(browser, app, ALICE, { forcedColors: 'active' })
    await ready(page)
    await screenshot(page, 'board-forced-colours')
    const paint = (name: string) =>
      page.locator(`.board .section[data-label="${name}"] .section-area`).evaluate(area => {
        const { fill, stroke } = getComputedStyle(area)
        return { fill, stroke }
      })
    const { fill, stroke } = await paint('Memory')
    expect(stroke).not.toBe(fill)
    expect(await paint('Reset button')).toEqual({ fill, stroke })
    expect(await page.locator('.board .count').first().textContent()).toMatch(/^\d+$/)
    await context.close()
  })

  test('targets are large enough for a finger', async () => {
    const { page, context } = await visit(browser, app, ALICE, phone)
    await ready(page)
    const small = await page.locator('button:visible, a:visible, select:visible').evaluateAll(elements =>
      elements
        .filter(element => !element.closest('article, .skip') && !element.matches('.skip'))
        .map(element => ({
          name: element.textContent.trim(),
          height: element.getBoundingClientRect().height,
        }))
        .filter(({ height }) => height < 44),
    )
    expect(small).toEqual([])
    const sections = await page
      .locator('.board [role=button]')
      .evaluateAll(
        elements =>
          elements
            .map(element => element.getBoundingClientRect())
            .filter(({ width, height }) => Math.min(width, height) < 24).length,
      )
    expect(sections).toBe(0)
    await context.close()
  })

  test.each([
    ['/', desktop],
    ['/', phone],
    ['/sections/memory', phone],
  ] as const)('nothing jumps while %s loads', async (path, size) => {
    const { page, context } = await visit(browser, app, ALICE, {
      ...size,
      path,
      prepare: async context => {
        for (const slow of [/board\.svg/, /counts/, /defects\?/]) {
          await context.route(slow, route => Bun.sleep(150).then(() => route.continue()))
        }
        await context.addInitScript(() => {
          Object.assign(window, { shifted: 0 })
          new PerformanceObserver(list => {
            for (const entry of list.getEntries()) Object.assign(window, { shifted: shifted + entry.value })
          }).observe({ type: 'layout-shift', buffered: true })
        })
      },
    })
    await ready(page)
    expect(await page.evaluate(() => shifted)).toBeLessThan(0.02)
    await context.close()
  })

  test('the first page stays within its budget and asks nobody else', async () => {
    const fetched = new Map<string, Promise<number>>()
    const { page, complaints, context } = await visit(browser, app, ALICE, {
      prepare: async context => {
        context.on('response', response => {
          const { pathname } = new URL(response.url())
          if (pathname.startsWith('/assets/')) {
            fetched.set(
              pathname,
              response
                .request()
                .sizes()
                .then(({ responseBodySize }) => responseBodySize),
            )
          }
        })
      },
    })
    await ready(page)
    await until(
      () => [...fetched.keys()].some(path => path.includes('ReportDialog')),
      'the dialog is fetched when idle',
    )
    const sum = async (ending: RegExp) => {
      const sizes = [...fetched].filter(([path]) => ending.test(path) && !path.includes('ReportDialog'))
      return (await Promise.all(sizes.map(([, size]) => size))).reduce((a, b) => a + b, 0)
    }
    expect(await sum(/\.js$/)).toBeLessThanOrEqual(45 * 1024)
    expect(await sum(/\.js$/)).toBeGreaterThan(10 * 1024)
    expect(await sum(/\.css$/)).toBeLessThanOrEqual(10 * 1024)
    expect(complaints).toEqual([])
    await context.close()
  })
})
