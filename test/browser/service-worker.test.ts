import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Browser,
  type BrowserContext,
  type CDPSession,
  chromium,
  type Page,
  type Worker,
} from 'playwright-core'
import { until } from '../support/until.ts'

/** The whole browser: its headless shell shows no notifications. */
const CHROMIUM = '/usr/bin/chromium'
const missing = !existsSync(CHROMIUM)
const script = Bun.file(join(import.meta.dir, '../../web/public/sw.js'))

interface Shown {
  title: string
  body: string
  tag: string
  data: { section: string; count: number }
}

describe.skipIf(missing)(
  `the service worker in Chromium${missing ? ` (skipped: no ${CHROMIUM})` : ''}`,
  () => {
    let browser: Browser
    let context: BrowserContext
    let page: Page
    let worker: Worker
    let devtools: CDPSession
    let registrationId: string
    const requests: { method: string; path: string; body: string }[] = []
    const session = { push: { public_key: 'BPublicKey' } as { public_key: string } | null }

    const server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      async fetch(request) {
        const { pathname } = new URL(request.url)
        if (pathname === '/favicon.ico') return new Response(null, { status: 404 })
        requests.push({ method: request.method, path: pathname, body: await request.text() })
        if (pathname === '/sw.js')
          return new Response(script, { headers: { 'content-type': 'text/javascript' } })
        if (pathname === '/api/session') return Response.json(session)
        if (pathname.startsWith('/api/')) return Response.json({}, { status: 201 })
        return new Response(`<!doctype html><title>${pathname}</title>`, {
          headers: { 'content-type': 'text/html' },
        })
      },
    })
    const { origin } = server.url

    beforeAll(async () => {
      browser = await chromium.launch({
        executablePath: CHROMIUM,
        args: [
          '--no-sandbox',
          '--disable-gpu',
          '--disable-background-networking',
          '--disable-component-update',
          '--disable-sync',
          '--no-first-run',
        ],
      })
      context = await browser.newContext()
      await context.grantPermissions(['notifications'], { origin })
      page = await context.newPage()
      devtools = await context.newCDPSession(page)
      devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
        registrationId = registrations[0]?.registrationId ?? registrationId
      })
      await devtools.send('ServiceWorker.enable')
      await page.goto(origin)
      const started = context.waitForEvent('serviceworker')
      await page.evaluate(async () => {
        await navigator.serviceWorker.register('/sw.js')
        await navigator.serviceWorker.ready
      })
      worker = await started
      await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
    })

    afterEach(async () => {
      await page.evaluate(async () => {
        const registration = await navigator.serviceWorker.ready
        for (const notification of await registration.getNotifications()) notification.close()
      })
      await until(async () => (await shown()).length === 0)
      requests.length = 0
    })

    afterAll(async () => {
      await browser?.close()
      await server.stop(true)
    })

    const push = (data: unknown) =>
      devtools.send('ServiceWorker.deliverPushMessage', {
        origin,
        registrationId,
        data: typeof data === 'string' ? data : JSON.stringify(data),
      })

    const shown = (): Promise<Shown[]> =>
      page.evaluate(async () => {
        const registration = await navigator.serviceWorker.ready
        return (await registration.getNotifications()).map(({ title, body, tag, data }) => ({
          title,
          body,
          tag,
          data,
        }))
      })

    /** Never asked while one is being shown: Chromium would then forget that one. */
    async function shownAfter(pushes: unknown[]): Promise<Shown[]> {
      await worker.evaluate(() => {
        const scope = self as unknown as { seen?: number }
        if (scope.seen === undefined) self.addEventListener('push', () => scope.seen!++)
        scope.seen = 0
      })
      await Promise.all(pushes.map(push))
      await until(async () => (await worker.evaluate('seen')) === pushes.length)
      await worker.evaluate('lastShown')
      return shown()
    }

    const message = (body: string, section = 'usb-port', label = 'USB port') => ({
      title: `Radio · ${label}`,
      body,
      section_id: section,
      defect_id: 'x',
      url: 'https://evil.test/',
    })

    test('a push becomes a notification', async () => {
      const all = await shownAfter([message('The shield is loose')])
      expect(all).toMatchObject([{ title: 'Radio · USB port', body: 'The shield is loose', tag: 'usb-port' }])
    })

    test('the messages of a section collapse into one that says how many, with the last word', async () => {
      const all = await shownAfter([
        ...['first', 'second', 'third'].map(word => message(word)),
        message('elsewhere', 'battery', 'Battery'),
      ])
      expect(
        all.map(({ title, body, tag }) => ({ title, body, tag })).sort((a, b) => (a.tag < b.tag ? -1 : 1)),
      ).toEqual([
        { title: 'Radio · Battery', body: 'elsewhere', tag: 'battery' },
        { title: '3 new on USB port', body: 'third', tag: 'usb-port' },
      ])
    })

    test('a burst is counted whole', async () => {
      const [one, ...others] = await shownAfter(Array.from({ length: 60 }, (_, i) => message(`word ${i}`)))
      expect([one?.title, others]).toEqual(['60 new on USB port', []])
    })

    test.each([
      ['no data', ''],
      ['text', 'not json'],
      ['null', 'null'],
      ['a number', '7'],
      ['an array', '[1]'],
      ['other types', '{"title":7,"body":{},"section_id":["usb-port"]}'],
      ['a section that is none', '{"section_id":"../../evil?x"}'],
      ['a section that is too long', `{"section_id":"${'a'.repeat(41)}"}`],
    ])('a push with %s is shown too', async (_, data) => {
      const all = await shownAfter([data])
      expect(all).toMatchObject([
        { title: 'New defect', body: 'Open Faultline to read it.', tag: 'faultline', data: { section: '' } },
      ])
      expect(await shownAfter([data])).toMatchObject([{ title: '2 new defects', data: { count: 2 } }])
    })

    test('markup in a message is text', async () => {
      expect(await shownAfter([message('<img src=x onerror=alert(1)>')])).toMatchObject([
        { body: '<img src=x onerror=alert(1)>' },
      ])
    })

    /** A click cannot be made through DevTools; the event is ours, focus and opening are watched. */
    const click = (data: unknown) =>
      worker.evaluate(async data => {
        const scope = self as unknown as ServiceWorkerScope
        const opened: string[] = []
        const focused: string[] = []
        scope.WindowClient.prototype.focus = async function () {
          focused.push(new URL(this.url).pathname)
          return this
        }
        scope.clients.openWindow = async path => void opened.push(path)
        let closed = false
        const waits: Promise<unknown>[] = []
        const event = Object.assign(new Event('notificationclick'), {
          notification: { data, close: () => (closed = true) },
          waitUntil: (work: Promise<unknown>) => waits.push(work),
        })
        self.dispatchEvent(event)
        await Promise.all(waits)
        return { opened, focused, closed }
      }, data)

    test('a click leads the open window to the section, and brings it to the front', async () => {
      await page.goto(origin)
      const result = await click({ section: 'usb-port', url: 'https://evil.test/' })
      expect(result).toEqual({ opened: [], focused: ['/'], closed: true })
      await page.waitForURL(`${origin}/sections/usb-port`)
    })

    test('a click on a single report leads to it, on several to their section', async () => {
      const defect = '0190a6e0-1c2d-7e3f-8a4b-5c6d7e8f9a0b'
      await page.goto(origin)
      await click({ section: 'usb-port', defect, count: 1 })
      await page.waitForURL(`${origin}/defects/${defect}`)
      await click({ section: 'usb-port', defect, count: 2 })
      await page.waitForURL(`${origin}/sections/usb-port`)
    })

    test('a window that shows the section already is only brought to the front', async () => {
      await page.goto(`${origin}/sections/usb-port`)
      const other = await context.newPage()
      await other.goto(origin)
      requests.length = 0
      const result = await click({ section: 'usb-port' })
      await other.close()
      expect(result).toEqual({ opened: [], focused: ['/sections/usb-port'], closed: true })
      expect(requests).toEqual([])
    })

    test.each([
      [undefined],
      [null],
      [{}],
      [{ section: '' }],
      [{ section: '//evil.test' }],
      [{ section: '../x' }],
      [{ section: 7 }],
      [{ section: '', defect: '../x', count: 1 }],
    ])('a click on a notification with data %j opens the board', async data => {
      await page.goto(`${origin}/sections/usb-port`)
      await click(data)
      await page.waitForURL(`${origin}/`)
    })

    test('without an open window a click opens one', async () => {
      await page.goto('about:blank')
      expect(await click({ section: 'usb-port' })).toEqual({
        opened: ['/sections/usb-port'],
        focused: [],
        closed: true,
      })
      await page.goto(origin)
    })

    const changed = (kind: 'renewed' | 'dropped') =>
      worker.evaluate(async kind => {
        const scope = self as unknown as ServiceWorkerScope
        const subscription = (endpoint: string) => ({ endpoint, toJSON: () => ({ endpoint, keys: {} }) })
        const asked: unknown[] = []
        Object.defineProperty(scope.registration.pushManager, 'subscribe', {
          configurable: true,
          value: async (options: unknown) => {
            asked.push(options)
            return subscription('https://fcm.googleapis.com/new')
          },
        })
        const waits: Promise<unknown>[] = []
        const event = Object.assign(new Event('pushsubscriptionchange'), {
          oldSubscription: subscription('https://fcm.googleapis.com/old'),
          newSubscription: kind === 'renewed' ? subscription('https://fcm.googleapis.com/renewed') : null,
          waitUntil: (work: Promise<unknown>) => waits.push(work),
        })
        self.dispatchEvent(event)
        await Promise.all(waits)
        return asked
      }, kind)
    const told = () =>
      requests
        .filter(({ path }) => path === '/api/subscriptions')
        .map(({ method, body }) => [method, JSON.parse(body)])

    test('a subscription that the browser dropped is made anew with the key in force', async () => {
      expect(await changed('dropped')).toEqual([
        { userVisibleOnly: true, applicationServerKey: 'BPublicKey' },
      ])
      expect(told()).toEqual([
        ['POST', { endpoint: 'https://fcm.googleapis.com/new', keys: {} }],
        ['DELETE', { endpoint: 'https://fcm.googleapis.com/old' }],
      ])
    })

    test('a subscription that the browser renewed is handed to the server', async () => {
      expect(await changed('renewed')).toEqual([])
      expect(told()[0]).toEqual(['POST', { endpoint: 'https://fcm.googleapis.com/renewed', keys: {} }])
    })

    test('whoever is not the owner gets no subscription', async () => {
      session.push = null
      expect(await changed('dropped')).toEqual([])
      expect(told()).toEqual([])
      session.push = { public_key: 'BPublicKey' }
    })

    test('it intercepts no request and keeps no cache', async () => {
      await page.goto(`${origin}/sections/usb-port`)
      requests.length = 0
      await page.reload()
      await page.evaluate(() => fetch('/api/defects'))
      expect(requests.map(({ path }) => path)).toEqual(
        expect.arrayContaining(['/sections/usb-port', '/api/defects']),
      )
      expect(await worker.evaluate(() => caches.keys())).toEqual([])
      expect(await script.text()).not.toMatch(/addEventListener\('fetch'|onfetch|caches/)
    })
  },
)

interface ServiceWorkerScope {
  WindowClient: { prototype: { url: string; focus(): Promise<unknown> } }
  clients: { openWindow(path: string): Promise<unknown> }
  registration: { pushManager: object }
}
