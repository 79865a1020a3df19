import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { project as makeProject, report, wholeFeed } from '../support/api.ts'
import { ALICE, type TestApp, testApp } from '../support/app.ts'
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

const board = (
  sections: Record<string, string>,
) => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 100">
  ${Object.entries(sections)
    .map(
      ([id, label], n) =>
        `<rect data-section="${id}" data-label="${label}" x="${n * 100}" width="80" height="80"/>`,
    )
    .join('')}
</svg>`

const store = ([name, value]: readonly [string, string]) => localStorage.setItem(name, value)

inChromium('an open page while its server changes', () => {
  let app: TestApp
  let browser: Browser
  let open: Visit
  let home: string
  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'faultline-board-'))
    await Bun.write(join(home, 'old.svg'), board({ pump: 'Pump', valve: 'Valve' }))
    await Bun.write(join(home, 'new.svg'), board({ pump: 'Pump', tank: 'Tank' }))
    app = await testApp({ env: { BOARD_FILE: join(home, 'old.svg') } })
    browser = await launch()
    const { id } = await makeProject(app, 'Hinge rework')
    await report(app.as(ALICE), id, 'Leaks', 'pump')
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

  async function openPage(draft?: object): Promise<Page> {
    open = await visit(browser, app, ALICE, {
      prepare: async context => {
        if (draft)
          await context.addInitScript(store, [`faultline.drafts.${ALICE}`, JSON.stringify(draft)] as const)
      },
    })
    await articles(open.page).first().waitFor()
    return open.page
  }

  test('a server that is away is said to be, until it is back', async () => {
    const page = await openPage()
    const words = page.getByText(/As of \d\d:\d\d, offline\./)
    await app.halt()
    await words.waitFor()
    expect(await articles(page).count()).toBe(1)
    await app.restart()
    await words.waitFor({ state: 'detached' })
  })

  test('a report on a section that left the board is kept, and finds its way to another', async () => {
    const page = await openPage()
    await section(page, /Valve/).click()
    await project(page).fill('Hinge rework')
    await text(page).fill('typed for the old board')
    await app.restart({ BOARD_FILE: join(home, 'new.svg') })
    await send(page).click()
    await dialog(page).getByText('This section is not on the board any more.').waitFor()
    await dialog(page).getByRole('button', { name: 'Reload' }).click()
    await dialog(page).getByText('“valve” is not on the board any more.').waitFor()
    expect(await text(page).inputValue()).toBe('typed for the old board')
    await dialog(page).getByLabel('Section').selectOption({ label: 'Tank' })
    await dialog(page).getByRole('heading', { name: 'Tank' }).waitFor()
    await send(page).click()
    await page.getByText('Filed on Tank.').waitFor()
    const [newest] = await wholeFeed(app.as(ALICE), '/api/defects')
    expect(newest).toMatchObject({ section_id: 'tank', verbatim: 'typed for the old board' })
  })

  test('a draft whose section left the board is offered', async () => {
    const body = { section_id: 'valve', verbatim: 'begun on the old board' }
    const page = await openPage({ a: { key: 'a', state: 'typing', project: 'Hinge rework', body } })
    await page.getByText('which is not on the board any more').waitFor()
    await page.getByRole('button', { name: 'Open it' }).click()
    expect(await text(page).inputValue()).toBe('begun on the old board')
  })

  /** An open page asks at once. */
  const comeBack = (page: Page) => page.evaluate(() => dispatchEvent(new Event('focus')))

  test('another board behind an open page is noticed', async () => {
    await app.restart({ BOARD_FILE: join(home, 'old.svg') })
    const page = await openPage()
    expect(await page.getByText('The board has been replaced').count()).toBe(0)
    await app.restart({ BOARD_FILE: join(home, 'new.svg') })
    const words = page.getByText('The board has been replaced by another.')
    await until(async () => {
      await comeBack(page)
      return (await words.count()) > 0
    }, 'the page says so')
    await page.getByRole('button', { name: 'Reload' }).click()
    await words.waitFor({ state: 'detached' })
  })

  test('an open page is told that nothing changed, and shows what does', async () => {
    const page = await openPage()
    const told: number[] = []
    page.on('response', response => {
      if (response.url().includes('/api/defects?')) told.push(response.status())
    })
    const answered = (status: number) =>
      until(async () => {
        await comeBack(page)
        return told.includes(status)
      }, `the feed is answered ${status}`)
    await answered(304)
    expect(told).not.toContain(200)
    expect(await articles(page).count()).toBeGreaterThan(0)
    const { id } = await makeProject(app, 'Hinge rework')
    await report(app.as(ALICE), id, 'Filed while the page looks on', 'pump')
    await answered(200)
    await page.getByRole('button', { name: /new/ }).first().click()
    await page.getByText('Filed while the page looks on').first().waitFor()
  })
})
