import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { createECDH, randomBytes } from 'node:crypto'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { generateVAPIDKeys } from 'web-push'
import { pushSubscriptions } from '../../server/db/schema.ts'
import { ALICE, OWNER, type TestApp, testApp } from '../support/app.ts'
import { until } from '../support/until.ts'
import { inChromium, launch, screenshot, type Visit, visit } from './support.ts'

inChromium('the owner’s switch for push', () => {
  let app: TestApp
  let browser: Browser
  let open: Visit
  const vapid = generateVAPIDKeys()
  beforeAll(async () => {
    app = await testApp({ env: { VAPID_PUBLIC_KEY: vapid.publicKey, SIGNING_SECRET: vapid.privateKey } })
    browser = await launch()
  })
  afterEach(() => open.context.close())
  afterAll(async () => {
    await browser.close()
    await app.stop()
  })

  const toggle = (page: Page) => page.getByRole('switch', { name: 'Push to this device' })
  const said = (page: Page) => page.locator('#push-words')
  const stored = () => app.db.read(queries => queries.select().from(pushSubscriptions))

  async function account(
    prepare?: (context: BrowserContext) => Promise<unknown>,
    email = OWNER,
  ): Promise<Page> {
    open = await visit(browser, app, email, prepare ? { prepare } : {})
    await open.page.getByRole('button', { name: `Account of ${email}` }).click()
    await open.page.getByText('Signed in as').waitFor()
    return open.page
  }

  async function refuses(page: Page, words: string) {
    await said(page).getByText(words).waitFor()
    expect(await toggle(page).getAttribute('aria-checked')).toBe('false')
    expect(await toggle(page).getAttribute('aria-disabled')).toBe('true')
  }

  /** A push service cannot be reached from here: the browser's side of it is played, the rest is real. */
  function played(context: BrowserContext, { failing = false } = {}) {
    const keys = createECDH('prime256v1')
    const toJSON = {
      endpoint: `https://fcm.googleapis.com/fcm/send/${randomBytes(8).toString('hex')}`,
      keys: { p256dh: keys.generateKeys('base64url'), auth: randomBytes(16).toString('base64url') },
    }
    return context.addInitScript(
      ({ toJSON, failing }) => {
        const bytes = (text: string) =>
          Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), c => c.charCodeAt(0)).buffer
        const kept = 'played subscription'
        const made = (key: string) => ({
          endpoint: toJSON.endpoint,
          options: { applicationServerKey: bytes(key) },
          toJSON: () => toJSON,
          unsubscribe: async () => localStorage.removeItem(kept),
        })
        Object.defineProperty(Notification, 'permission', { get: () => 'granted' })
        Notification.requestPermission = async () => 'granted'
        Object.assign(PushManager.prototype, {
          async getSubscription() {
            const key = localStorage.getItem(kept)
            return key ? made(key) : null
          },
          async subscribe({ applicationServerKey }: { applicationServerKey: string }) {
            if (failing) throw new DOMException('Registration failed - push service error', 'AbortError')
            localStorage.setItem(kept, applicationServerKey)
            return made(applicationServerKey)
          },
        })
      },
      { toJSON, failing },
    )
  }

  test('nobody else sees it', async () => {
    const page = await account(undefined, ALICE)
    expect(await toggle(page).count()).toBe(0)
  })

  test('the owner is asked once on a device, and “Not now” stands', async () => {
    open = await visit(browser, app, OWNER, { prepare: context => played(context) })
    const { page } = open
    await page.getByText('Be notified on this device').waitFor()
    await screenshot(page, 'push-offer')
    await page.getByRole('button', { name: 'Not now' }).click()
    await page.getByText('Be notified on this device').waitFor({ state: 'detached' })
    await page.reload()
    await page.getByRole('button', { name: `Account of ${OWNER}` }).click()
    await said(page).getByText('A notification on this device').waitFor()
    expect(await page.getByText('Be notified on this device').count()).toBe(0)
  })

  test('asked, the owner switches it on with one click', async () => {
    open = await visit(browser, app, OWNER, { prepare: context => played(context) })
    const { page } = open
    await page.getByRole('button', { name: 'Notify me' }).click()
    await until(async () => (await stored()).length === 1, 'the server knows the device')
    await app.db.write(queries => queries.delete(pushSubscriptions))
  })

  test('a browser without push says so', async () => {
    const page = await account(context =>
      context.addInitScript(() => Reflect.deleteProperty(window, 'PushManager')),
    )
    await refuses(page, 'This browser cannot receive push messages.')
  })

  test('an iPhone is told to install the app first', async () => {
    const page = await account(context =>
      context.addInitScript(() => {
        Reflect.deleteProperty(window, 'PushManager')
        Object.defineProperty(navigator, 'standalone', { value: false })
      }),
    )
    await refuses(page, 'add Faultline to the Home Screen first')
  })

  test('blocked notifications say what to do', async () => {
    const page = await account(context =>
      context.addInitScript(() => Object.defineProperty(Notification, 'permission', { get: () => 'denied' })),
    )
    await refuses(page, 'Allow them in its settings')
  })

  test('a refused prompt leaves it off', async () => {
    const page = await account(context =>
      context.addInitScript(() => {
        Object.defineProperty(Notification, 'permission', { get: () => 'default' })
        Notification.requestPermission = async () => 'default'
      }),
    )
    await said(page).getByText('A notification on this device').waitFor()
    await toggle(page).click()
    await until(async () => (await toggle(page).getAttribute('aria-disabled')) === 'false', 'it is off again')
    expect(await toggle(page).getAttribute('aria-checked')).toBe('false')
  })

  test('a push service that fails is shown as failing, with its reason', async () => {
    const page = await account(context => played(context, { failing: true }))
    await toggle(page).click()
    await said(page).getByText('Registration failed - push service error').waitFor()
    expect(await toggle(page).getAttribute('aria-checked')).toBe('false')
    expect(await stored()).toHaveLength(0)
  })

  test('a server that will not take the subscription is shown as failing', async () => {
    const page = await account(async context => {
      await played(context)
      await context.route('**/api/subscriptions', route => route.abort())
    })
    await toggle(page).click()
    await said(page).getByText('The server cannot be reached.').waitFor()
    expect(await toggle(page).getAttribute('aria-checked')).toBe('false')
  })

  test('on, still on after a reload, and off: the server knows each time', async () => {
    const page = await account(context => played(context))
    await toggle(page).click()
    await said(page).getByText('This device is notified').waitFor()
    expect(await toggle(page).getAttribute('aria-checked')).toBe('true')
    expect(await stored()).toMatchObject([{ ownerEmail: OWNER, vapidPublicKey: vapid.publicKey }])
    expect(await page.evaluate(async () => (await navigator.serviceWorker.ready).active?.scriptURL)).toBe(
      `${app.origin}/sw.js`,
    )
    await page.reload()
    await page.getByRole('button', { name: `Account of ${OWNER}` }).click()
    await said(page).getByText('This device is notified').waitFor()
    await toggle(page).click()
    await said(page).getByText('A notification on this device').waitFor()
    expect(await stored()).toHaveLength(0)
  })

  test('a subscription made for another key is made anew', async () => {
    const page = await account(context => played(context))
    await toggle(page).click()
    await said(page).getByText('This device is notified').waitFor()
    await app.db.write(queries => queries.update(pushSubscriptions).set({ vapidPublicKey: 'an earlier key' }))
    await page.evaluate(
      key => localStorage.setItem('played subscription', key),
      generateVAPIDKeys().publicKey,
    )
    await page.reload()
    await until(
      async () => (await stored())[0]?.vapidPublicKey === vapid.publicKey,
      'the server has it for the new key',
    )
    expect(await page.evaluate(() => localStorage.getItem('played subscription'))).toBe(vapid.publicKey)
  })

  test('when push is off at the server, it says so', async () => {
    const { VAPID_PUBLIC_KEY: _, SIGNING_SECRET: __, ...without } = app.env
    for (const name of ['VAPID_PUBLIC_KEY', 'SIGNING_SECRET']) delete app.env[name]
    await app.restart(without)
    const page = await account()
    await refuses(page, 'Push is off at the server')
  })
})
