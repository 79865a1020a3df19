import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { project as makeProject, wholeFeed } from '../support/api.ts'
import { ALICE, BOB, type TestApp, testApp } from '../support/app.ts'
import { until } from '../support/until.ts'
import {
  dialog,
  inChromium,
  launch,
  project,
  section,
  send,
  signIn,
  signOut,
  text,
  type Visit,
  visit,
} from './support.ts'

inChromium('what was typed is never lost, never sent twice, never sent as somebody else', () => {
  let app: TestApp
  let browser: Browser
  let open: Visit
  beforeAll(async () => {
    app = await testApp()
    browser = await launch()
    await makeProject(app, 'Hinge rework')
  })
  afterEach(() => open.context.close())
  afterAll(async () => {
    await browser.close()
    await app.stop()
  })

  const stored = async (words: string) =>
    (await wholeFeed(app.as(ALICE), '/api/defects')).filter(({ verbatim }) => verbatim === words)

  async function type(page: Page, words: string, where: string | RegExp = /USB port/) {
    await section(page, where).click()
    await project(page).fill('Hinge rework')
    await text(page).fill(words)
  }

  async function isOpenWith(page: Page, words: string) {
    await dialog(page).waitFor()
    expect(await text(page).inputValue()).toBe(words)
    expect(await project(page).inputValue()).toBe('Hinge rework')
  }

  const filed = (page: Page) => page.getByText('Filed on USB port.').waitFor()

  test('closing and reloading keep the text; discarding is the person’s own act', async () => {
    open = await visit(browser, app, ALICE)
    const { page } = open
    await type(page, 'kept over a reload')
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('listitem').filter({ hasText: 'USB port' }).getByText('Draft').waitFor()
    await section(page, /Ethernet/).click()
    expect(await text(page).inputValue()).toBe('')
    await page.keyboard.press('Escape')
    await page.reload()
    await section(page, /USB port/).click()
    await isOpenWith(page, 'kept over a reload')
    await page.getByRole('button', { name: 'Discard the draft' }).click()
    await page.reload()
    await section(page, /USB port/).click()
    expect(await text(page).inputValue()).toBe('')
  })

  test('a session that ends while one types loses nothing: sign in, come back, send', async () => {
    open = await visit(browser, app, ALICE, { path: '/sections/usb-port' })
    const { page, context } = open
    await page.getByRole('button', { name: 'Report a defect here' }).click()
    await project(page).fill('Hinge rework')
    await text(page).fill('typed over the end of a session')
    await signOut(context)
    await send(page).click()
    const back = dialog(page).getByRole('link', { name: 'sign in again' })
    expect(await back.getAttribute('href')).toBe('/login?return_to=%2Fsections%2Fusb-port')
    expect(await text(page).inputValue()).toBe('typed over the end of a session')
    await back.click()
    await page.getByRole('heading', { name: 'Sign in to Faultline' }).waitFor()
    expect(await stored('typed over the end of a session')).toHaveLength(0)

    await signIn(context, app, ALICE)
    await page.goto(`${app.origin}/sections/usb-port`)
    await isOpenWith(page, 'typed over the end of a session')
    await send(page).click()
    await filed(page)
    expect(await stored('typed over the end of a session')).toHaveLength(1)
    await page.reload()
    await page.getByRole('article').first().waitFor()
    expect(await dialog(page).count()).toBe(0)
  })

  test('without a network the report is kept, said to be, and sent when it is back', async () => {
    open = await visit(browser, app, ALICE)
    const { page, context } = open
    await type(page, 'written in the cellar')
    await context.setOffline(true)
    await send(page).click()
    const banner = page.getByText('waits for the network')
    await banner.waitFor()
    expect(await dialog(page).count()).toBe(0)
    await context.setOffline(false)
    await filed(page)
    await banner.waitFor({ state: 'detached' })
    expect(await stored('written in the cellar')).toHaveLength(1)
  })

  test('a report that waited is sent after a reload too', async () => {
    open = await visit(browser, app, ALICE)
    const { page } = open
    await page.route('**/api/defects', route =>
      route.request().method() === 'POST' ? route.abort() : route.continue(),
    )
    await type(page, 'waited over a reload')
    await send(page).click()
    await page.getByText('waits for the network').waitFor()
    await page.unroute('**/api/defects')
    await page.reload()
    await until(async () => (await stored('waited over a reload')).length === 1, 'it is stored')
  })

  test('an answer that is lost, and two presses, store one defect', async () => {
    open = await visit(browser, app, ALICE)
    const { page } = open
    const keys: (string | undefined)[] = []
    let lost = 0
    await page.route('**/api/defects', async route => {
      if (route.request().method() !== 'POST') return route.continue()
      keys.push(route.request().headers()['idempotency-key'])
      if (lost++) return route.continue()
      await route.fetch()
      return route.abort()
    })
    await type(page, 'pressed twice, answered never')
    await send(page).dblclick()
    await page.getByText('waits for the network').waitFor()
    expect(keys).toHaveLength(1)
    await filed(page)
    expect(keys).toHaveLength(2)
    expect(keys[0]).toBe(keys[1]!)
    expect(await stored('pressed twice, answered never')).toHaveLength(1)
  })

  test('a wording changed after its first one had arrived is not lost: it says so, and is filed as well', async () => {
    open = await visit(browser, app, ALICE)
    const { page } = open
    let broken = true
    await page.route('**/api/defects', async route => {
      if (route.request().method() !== 'POST' || !broken) return route.continue()
      await route.fetch()
      return route.abort()
    })
    await type(page, 'first wording')
    await send(page).click()
    await page.getByRole('button', { name: 'Open it' }).click()
    await isOpenWith(page, 'first wording')
    await text(page).fill('second wording')
    broken = false
    await send(page).click()
    await dialog(page).getByText('An earlier wording of this report had already arrived.').waitFor()
    await send(page).click()
    await filed(page)
    expect(await stored('first wording')).toHaveLength(1)
    expect(await stored('second wording')).toHaveLength(1)
  })

  test('another person in the same browser neither sees nor sends it', async () => {
    open = await visit(browser, app, ALICE)
    const { page, context } = open
    await type(page, 'typed by Alice')
    await page.keyboard.press('Escape')
    await page.route('**/api/defects', route =>
      route.request().method() === 'POST' ? route.abort() : route.continue(),
    )
    await type(page, 'sent by Alice', /Ethernet/)
    await send(page).click()
    await page.getByText('waits for the network').waitFor()
    await page.unroute('**/api/defects')

    await signOut(context)
    await signIn(context, app, BOB)
    const posts: string[] = []
    page.on('request', request => request.method() === 'POST' && posts.push(request.url()))
    await page.goto(app.origin)
    await page.getByRole('button', { name: `Account of ${BOB}` }).waitFor()
    await page.getByText('Choose a section to report').waitFor()
    expect(await page.getByText('waits for the network').count()).toBe(0)
    expect(await page.getByText('Draft').count()).toBe(0)
    await section(page, /USB port/).click()
    expect(await text(page).inputValue()).toBe('')
    expect(await project(page).inputValue()).toBe('')
    expect(posts).toEqual([])

    await signIn(context, app, ALICE)
    await page.goto(app.origin)
    await until(async () => (await stored('sent by Alice')).length === 1, 'Alice’s own page sends it')
    expect((await stored('sent by Alice'))[0]?.reporter).toBe(ALICE)
    expect(await stored('typed by Alice')).toHaveLength(0)
  })

  test('two tabs on one section write two reports, and the second says so', async () => {
    open = await visit(browser, app, ALICE)
    const { page, context } = open
    await type(page, 'from the first tab')
    const second = await context.newPage()
    await second.goto(app.origin)
    await section(second, /USB port/).click()
    await dialog(second).getByText('is being written in another tab').waitFor()
    expect(await text(second).inputValue()).toBe('')
    await project(second).fill('Hinge rework')
    await text(second).fill('from the second tab')
    await text(page).fill('from the first tab, written on')
    await send(second).click()
    await second.getByText('Filed on USB port.').waitFor()
    expect(await text(page).inputValue()).toBe('from the first tab, written on')
    await send(page).click()
    await filed(page)
    expect(await stored('from the first tab, written on')).toHaveLength(1)
    expect(await stored('from the second tab')).toHaveLength(1)
  })

  test('a draft left by a closed tab is taken up again, without a warning', async () => {
    open = await visit(browser, app, ALICE)
    const { page, context } = open
    const second = await context.newPage()
    await second.goto(app.origin)
    await type(second, 'left in a closed tab')
    await second.close()
    // Chromium tells other tabs of its storage a moment later.
    await until(() => page.evaluate(() => JSON.stringify(localStorage).includes('left in a closed tab')))
    await section(page, /USB port/).click()
    await isOpenWith(page, 'left in a closed tab')
    expect(await dialog(page).getByText('in another tab').count()).toBe(0)
  })

  test('drafts of the version before are still there', async () => {
    const old = {
      section: 'usb-port',
      text: 'typed before the update',
      project: 'Hinge rework',
      key: 'a',
      state: 'typing',
    }
    open = await visit(browser, app, ALICE, {
      prepare: context =>
        context.addInitScript(
          ([name, value]) => localStorage.setItem(name!, value!),
          [`faultline.drafts.${ALICE}`, JSON.stringify({ 'usb-port': old })],
        ),
    })
    await section(open.page, /USB port/).click()
    await isOpenWith(open.page, 'typed before the update')
  })

  test('a fault goes as soon as its field is mended', async () => {
    open = await visit(browser, app, ALICE)
    const { page } = open
    await section(page, /USB port/).click()
    await send(page).click()
    const [name, words] = ['Choose a project, or', 'Say what is wrong'].map(fault =>
      dialog(page).getByText(fault),
    )
    await words!.waitFor()
    await text(page).fill('mended')
    await words!.waitFor({ state: 'detached' })
    expect(await text(page).getAttribute('aria-invalid')).toBe('false')
    expect(await name!.count()).toBe(1)
    await project(page).fill('Hinge rework')
    await name!.waitFor({ state: 'detached' })
  })

  test('when somebody else signs in under an open page, nothing of it is sent in their name', async () => {
    open = await visit(browser, app, ALICE)
    const { page, context } = open
    await type(page, 'typed before the change')
    await signIn(context, app, BOB)
    await send(page).click()
    await page.getByRole('button', { name: `Account of ${BOB}` }).waitFor()
    expect(await dialog(page).count()).toBe(0)
    expect(await stored('typed before the change')).toHaveLength(0)
    await signIn(context, app, ALICE)
    await page.goto(app.origin)
    await isOpenWith(page, 'typed before the change')
  })
})
