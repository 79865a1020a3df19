import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { project as makeProject, report } from '../support/api.ts'
import { ALICE, BOB, type TestApp, testApp } from '../support/app.ts'
import { until } from '../support/until.ts'
import {
  articles,
  dialog,
  inChromium,
  launchWhole,
  section,
  signIn,
  text,
  type Visit,
  visit,
} from './support.ts'

/** Notes, frame by frame, whether anything behind the session is to be seen. */
function noteWhatIsSeen() {
  const look = () => {
    const found = document.querySelector('article, .board, .label, dialog')
    if (found?.checkVisibility({ visibilityProperty: true })) sessionStorage.setItem('seen', found.outerHTML)
    requestAnimationFrame(look)
  }
  look()
}

inChromium('after signing out nothing is to be seen', () => {
  let app: TestApp
  let browser: Browser
  let open: Visit
  beforeAll(async () => {
    app = await testApp()
    browser = await launchWhole()
    const { id } = await makeProject(app)
    await report(app.as(ALICE), id, 'For colleagues only', 'usb-port')
  })
  /** Some browsers keep a page in memory in spite of `no-store`; this one shall. */
  async function prepare(context: BrowserContext) {
    await context.addInitScript(noteWhatIsSeen)
    await context.route(`${app.origin}/`, async route => {
      const response = await route.fetch({ maxRedirects: 0 })
      await route.fulfill({ response, headers: { ...response.headers(), 'cache-control': 'private' } })
    })
  }
  beforeEach(async () => {
    open = await visit(browser, app, ALICE, { prepare })
    await articles(open.page).first().waitFor()
  })
  afterEach(async () => {
    await open.context.close()
    expect(open.complaints).toEqual([])
  })
  afterAll(async () => {
    await browser.close()
    await app.stop()
  })

  async function signOut(page: Page) {
    await page.getByRole('button', { name: `Account of ${ALICE}` }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await loginShown(page)
  }

  const away = (page: Page) => page.goto(`${app.origin}/manifest.webmanifest`)
  const back = (page: Page) => page.goBack({ waitUntil: 'commit' })
  const loginShown = (page: Page) => page.getByRole('heading', { name: 'Sign in to Faultline' }).waitFor()
  const forgetSeen = (page: Page) => page.evaluate(() => sessionStorage.removeItem('seen'))
  const seen = (page: Page) => page.evaluate(() => sessionStorage.getItem('seen'))

  test('by Back and Forward, from the memory of the browser', async () => {
    const { page, context } = open
    await page.evaluate(() => Object.assign(window, { sameDocument: true }))
    await away(page)
    await back(page)
    await until(() => page.evaluate(() => 'sameDocument' in window), 'the page of before is back')
    await articles(page).first().waitFor()
    await away(page)
    await context.clearCookies()
    await forgetSeen(page)
    await back(page)
    await loginShown(page)
    await page.goForward({ waitUntil: 'commit' })
    await back(page)
    await loginShown(page)
    expect(await seen(page)).toBeNull()
  })

  test('by Back after the button, on every page that was visited', async () => {
    const { page } = open
    await page.getByRole('link', { name: 'History of USB port' }).click()
    await page.getByRole('heading', { name: 'USB port', level: 1 }).waitFor()
    await page.goto(`${app.origin}/`)
    await articles(page).first().waitFor()
    await signOut(page)
    await forgetSeen(page)
    for (let times = 0; times < 2; times++) {
      await back(page)
      await loginShown(page)
    }
    expect(await seen(page)).toBeNull()
  })

  test('when the server cannot be asked whose page comes back', async () => {
    const { page, context } = open
    await away(page)
    await context.setOffline(true)
    await back(page)
    await page.getByText('The server cannot be reached.').waitFor()
    expect(await articles(page).count()).toBe(0)
    await context.setOffline(false)
    await articles(page).first().waitFor()
  })

  test('another tab hides at once, and shows itself again to the same person', async () => {
    const { page, context } = open
    const other = await context.newPage()
    await other.goto(app.origin)
    await section(other, /USB port/).click()
    await text(other).fill('typed in the other tab')
    await signOut(page)
    await other.getByRole('heading', { name: 'Signed out' }).waitFor()
    expect(await articles(other).count()).toBe(0)
    expect(await dialog(other).count()).toBe(0)
    expect(await other.content()).not.toContain('colleagues')
    expect(await other.content()).not.toContain('typed in')
    await signIn(context, app, ALICE)
    await page.goto(app.origin)
    await dialog(other).waitFor()
    expect(await text(other).inputValue()).toBe('typed in the other tab')
  })

  test('another person finds the other tab empty of what was typed', async () => {
    const { page, context } = open
    const other = await context.newPage()
    await other.goto(app.origin)
    await section(other, /USB port/).click()
    await text(other).fill('typed by Alice')
    await signOut(page)
    await signIn(context, app, BOB)
    await page.goto(app.origin)
    await other.getByRole('button', { name: `Account of ${BOB}` }).waitFor()
    expect(await dialog(other).count()).toBe(0)
    await section(other, /USB port/).click()
    expect(await text(other).inputValue()).toBe('')
  })

  test('a sign-out that does not reach the server says so', async () => {
    const { page, context } = open
    await context.setOffline(true)
    await page.getByRole('button', { name: `Account of ${ALICE}` }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('You are still signed in').waitFor()
    await articles(page).first().waitFor()
  })

  test('a click on the board counts as soon as the board is there, however late the session is known', async () => {
    const { page } = open
    let answer = () => {}
    const asked = new Promise<void>(resolve => {
      answer = resolve
    })
    await page.route('**/api/session', async route => {
      await asked
      await route.continue()
    })
    await page.reload()
    const clicked = section(page, /USB port/).click()
    await Promise.race([clicked, page.getByText('Loading…').waitFor()])
    answer()
    await clicked
    await dialog(page).waitFor()
  })
})
