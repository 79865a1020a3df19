import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import type { Project } from '../../server/projects/model.ts'
import { project as makeProject, report } from '../support/api.ts'
import { ALICE, BOB, type TestApp, testApp } from '../support/app.ts'
import { fileDefects } from '../support/defects.ts'
import { until } from '../support/until.ts'
import {
  articles,
  dialog,
  inChromium,
  launch,
  project,
  section,
  send,
  text,
  type Visit,
  visit,
} from './support.ts'

inChromium('the feed', () => {
  let app: TestApp
  let browser: Browser
  let open: Visit
  let hinge: Project
  beforeAll(async () => {
    app = await testApp()
    browser = await launch()
    hinge = await makeProject(app, 'Hinge rework')
    await insertMany(70)
  })
  afterEach(async () => {
    await open.context.close()
    expect(open.complaints).toEqual([])
  })
  afterAll(async () => {
    await browser.close()
    await app.stop()
  })

  const insertMany = (many: number) =>
    fileDefects(app.db, many, i => ({
      projectId: hinge.id,
      sectionId: 'ethernet',
      verbatim: `old ${i + 1}`,
      createdAt: new Date(Date.now() - (i + 1) * 3_600_000),
    }))

  test('newest first; older ones come page by page until there are no more', async () => {
    open = await visit(browser, app, ALICE)
    const { page } = open
    await articles(page).first().getByText('old 1', { exact: true }).waitFor()
    expect(await articles(page).count()).toBe(30)
    const more = page.getByRole('button', { name: 'Show older reports' })
    await more.click()
    await until(async () => (await articles(page).count()) === 60, 'two pages are shown')
    await more.click()
    await until(async () => (await articles(page).count()) === 70, 'all are shown')
    expect(await more.count()).toBe(0)
    const time = articles(page).first().locator('time')
    expect(await time.textContent()).toBe('1 hour ago')
    expect(Date.parse((await time.getAttribute('datetime')) ?? '')).toBeLessThan(Date.now())
    expect(await time.getAttribute('title')).toMatch(/2\d{3} at \d\d:\d\d:\d\d$/)
  })

  test('what a second person files appears as “2 new” and moves nothing until it is asked for', async () => {
    open = await visit(browser, app, ALICE)
    const { page } = open
    const read = articles(page).nth(5)
    await read.scrollIntoViewIfNeeded()
    const before = await read.boundingBox()
    await report(app.as(BOB), hinge.id, 'from Bob, first', 'usb-port')
    await report(app.as(BOB), hinge.id, 'from Bob, second', 'usb-port')
    const news = page.getByRole('button', { name: '2 new' })
    await news.waitFor()
    await section(page, 'USB port, 2 defects').waitFor()
    expect(await read.boundingBox()).toEqual(before)
    expect(await page.title()).toBe('(2) Faultline')
    await news.click()
    await articles(page).first().getByText('from Bob, second').waitFor()
    expect(await articles(page).nth(1).textContent()).toContain(BOB)
    expect(
      await articles(page)
        .first()
        .evaluate(element => element === document.activeElement),
    ).toBe(true)
    expect(await news.count()).toBe(0)
  })

  test('more news than a page holds leave no gap', async () => {
    open = await visit(browser, app, ALICE, { path: '/sections/memory' })
    const { page } = open
    await page.getByText('Nothing has been reported here.').waitFor()
    const bob = app.as(BOB)
    for (let n = 1; n <= 35; n++) await report(bob, hinge.id, `burst ${n}`, 'memory')
    await page.getByRole('button', { name: /new$/ }).click()
    await articles(page).first().getByText('burst 35').waitFor()
    await page.getByRole('button', { name: 'Show older reports' }).click()
    await until(async () => (await articles(page).count()) === 35, 'all are shown')
  })

  test('a hidden page asks for nothing', async () => {
    open = await visit(browser, app, ALICE, { prepare: context => context.clock.install() })
    const { page } = open
    await articles(page).first().waitFor()
    await page.locator('[data-row] svg').first().waitFor()
    const hide = (hidden: boolean) =>
      page.evaluate(hidden => {
        Object.defineProperty(document, 'visibilityState', {
          get: () => (hidden ? 'hidden' : 'visible'),
          configurable: true,
        })
        document.dispatchEvent(new Event('visibilitychange'))
      }, hidden)
    await hide(true)
    const asked: string[] = []
    page.on('request', request => asked.push(request.url()))
    await page.clock.runFor(60_000)
    expect(asked).toEqual([])
    await hide(false)
    await until(() => asked.some(url => url.includes('/api/defects?')), 'it asks again')
  })

  test('it can be narrowed to one section and widened again', async () => {
    open = await visit(browser, app, ALICE)
    const { page } = open
    const filter = page.getByLabel('Show the reports of')
    await filter.selectOption({ label: 'USB port' })
    await until(async () => (await articles(page).count()) === 2, 'only two are shown')
    expect(await articles(page).locator('a[href^="/sections/"]').count()).toBe(0)
    await filter.selectOption({ label: 'All sections' })
    await until(async () => (await articles(page).count()) > 2, 'all are shown')
  })

  test('a section’s history is a page of its own; an unknown section says so', async () => {
    open = await visit(browser, app, ALICE, { path: '/sections/usb-port' })
    const { page } = open
    await page.getByRole('heading', { name: 'USB port', level: 1 }).waitFor()
    await until(async () => (await articles(page).count()) === 2, 'both are shown')
    await page.goto(`${app.origin}/sections/warp-core`)
    await page.getByRole('heading', { name: 'No such section' }).waitFor()
  })

  test('a section that left the board keeps its history, marked retired', async () => {
    await fileDefects(app.db, 1, {
      projectId: hinge.id,
      sectionId: 'parallel-port',
      verbatim: 'from another age',
    })
    open = await visit(browser, app, ALICE)
    const { page } = open
    await page.locator('summary', { hasText: '1 retired' }).click()
    const row = page.getByRole('listitem').filter({ hasText: 'parallel-port' })
    await row.getByText('Retired').waitFor()
    expect(await row.getByRole('button').count()).toBe(0)
    expect(await articles(page).first().getByText('Retired').count()).toBe(1)
    await row.getByRole('link').click()
    await page.getByRole('heading', { name: 'parallel-port Retired' }).waitFor()
    await articles(page).getByText('from another age').waitFor()
  })

  const hostile = [
    '<img src=x onerror="document.title=1">',
    '</script><script>document.title=2</script>',
    '{@html "<b>x</b>"} {{7*7}}',
    'javascript:document.title=3',
    '"><svg onload=document.title=4>',
    "' or 1=1; drop table defects; --",
    'line one\n\n    indented line\twith a tab',
    '\u202Ereversed\u202C and مرحبا بالعالم',
    `Z${'\u0301'.repeat(300)}algo`,
    'W'.repeat(4_000),
  ]

  test('hostile text is shown as it was written and does nothing', async () => {
    for (const words of hostile) await report(app.as(BOB), hinge.id, words, 'sd-slot')
    const evil = await makeProject(app, '<i onmouseover=alert(1)>evil</i>')
    await report(app.as(BOB), evil.id, hostile[0], 'sd-slot')
    open = await visit(browser, app, ALICE, { path: '/sections/sd-slot' })
    const { page } = open
    await until(async () => (await articles(page).count()) === hostile.length + 1, 'all are shown')
    const shown = await page.locator('.verbatim').allTextContents()
    expect(shown.toReversed().slice(0, hostile.length)).toEqual(hostile)
    expect(await articles(page).first().textContent()).toContain('<i onmouseover=alert(1)>evil</i>')
    expect(await page.locator('#feed article').locator('img, script, svg, b, i').count()).toBe(0)
    expect(await page.title()).toBe('SD card slot · Faultline')
    const wide = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    )
    expect(wide).toBe(0)
    await page.getByRole('button', { name: 'Report a defect here' }).click()
    await dialog(page).getByText(hostile[0]!).waitFor()
    await project(page).fill('<I ONMOUSE')
    await dialog(page).getByRole('option', { name: '<i onmouseover=alert(1)>evil</i>', exact: true }).click()
    await text(page).fill(hostile[1]!)
    await send(page).click()
    await page.getByText('Filed on SD card slot.').waitFor()
    expect(await page.locator('.verbatim').first().textContent()).toBe(hostile[1]!)
  })

  test('what cannot be loaded says so and can be tried again', async () => {
    open = await visit(browser, app, ALICE, {
      prepare: context => context.route(/\/api\/defects|board\.svg/, route => route.abort()),
    })
    const { page, context } = open
    await page.getByText('The reports could not be loaded.').waitFor()
    await page.getByText('The board could not be loaded.').waitFor()
    await context.unrouteAll()
    await page.getByRole('button', { name: 'Try again' }).first().click()
    await section(page, /USB port/).waitFor()
    await articles(page).first().waitFor()
  })
})
