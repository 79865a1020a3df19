import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { inChromium } from './support.ts'
import { script, startServiceWorker } from './worker.ts'

inChromium('the service worker', () => {
  let here: Awaited<ReturnType<typeof startServiceWorker>>
  beforeAll(async () => {
    here = await startServiceWorker()
  })
  afterEach(async () => {
    await here.closeAll()
    here.requests.length = 0
  })
  afterAll(() => here?.stop())

  const message = (body: string, section = 'usb-port', label = 'USB port') => ({
    title: `Radio · ${label}`,
    body,
    section_id: section,
    defect_id: 'x',
    url: 'https://evil.test/',
  })

  test('a push becomes a notification', async () => {
    const all = await here.shownAfter([message('The shield is loose')])
    expect(all).toMatchObject([{ title: 'Radio · USB port', body: 'The shield is loose', tag: 'usb-port' }])
  })

  test('the messages of a section collapse into one that says how many, with the last word', async () => {
    const all = await here.shownAfter([
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
    const [one, ...others] = await here.shownAfter(Array.from({ length: 60 }, (_, i) => message(`word ${i}`)))
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
    const all = await here.shownAfter([data])
    expect(all).toMatchObject([
      { title: 'New defect', body: 'Open Faultline to read it.', tag: 'faultline', data: { section: '' } },
    ])
    expect(await here.shownAfter([data])).toMatchObject([{ title: '2 new defects', data: { count: 2 } }])
  })

  test('markup in a message is text', async () => {
    expect(await here.shownAfter([message('<img src=x onerror=alert(1)>')])).toMatchObject([
      { body: '<img src=x onerror=alert(1)>' },
    ])
  })

  /** A click cannot be made through DevTools; the event is ours, focus and opening are watched. */
  const click = (data: unknown) =>
    here.worker.evaluate(async data => {
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
    await here.page.goto(here.origin)
    const result = await click({ section: 'usb-port', url: 'https://evil.test/' })
    expect(result).toEqual({ opened: [], focused: ['/'], closed: true })
    await here.page.waitForURL(`${here.origin}/sections/usb-port`)
  })

  test('a click on a single report leads to it, on several to their section', async () => {
    const defect = '0190a6e0-1c2d-7e3f-8a4b-5c6d7e8f9a0b'
    await here.page.goto(here.origin)
    await click({ section: 'usb-port', defect, count: 1 })
    await here.page.waitForURL(`${here.origin}/defects/${defect}`)
    await click({ section: 'usb-port', defect, count: 2 })
    await here.page.waitForURL(`${here.origin}/sections/usb-port`)
  })

  test('a window that shows the section already is only brought to the front', async () => {
    await here.page.goto(`${here.origin}/sections/usb-port`)
    const other = await here.context.newPage()
    await other.goto(here.origin)
    here.requests.length = 0
    const result = await click({ section: 'usb-port' })
    await other.close()
    expect(result).toEqual({ opened: [], focused: ['/sections/usb-port'], closed: true })
    expect(here.requests).toEqual([])
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
    await here.page.goto(`${here.origin}/sections/usb-port`)
    await click(data)
    await here.page.waitForURL(`${here.origin}/`)
  })

  test('without an open window a click opens one', async () => {
    await here.page.goto('about:blank')
    expect(await click({ section: 'usb-port' })).toEqual({
      opened: ['/sections/usb-port'],
      focused: [],
      closed: true,
    })
    await here.page.goto(here.origin)
  })

  const changed = (kind: 'renewed' | 'dropped') =>
    here.worker.evaluate(async kind => {
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
    here.requests
      .filter(({ path }) => path === '/api/subscriptions')
      .map(({ method, body }) => [method, JSON.parse(body)])

  test('a subscription that the browser dropped is made anew with the key in force', async () => {
    expect(await changed('dropped')).toEqual([{ userVisibleOnly: true, applicationServerKey: 'BPublicKey' }])
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
    here.session.push = null
    expect(await changed('dropped')).toEqual([])
    expect(told()).toEqual([])
    here.session.push = { public_key: 'BPublicKey' }
  })

  test('it intercepts no request and keeps no cache', async () => {
    await here.page.goto(`${here.origin}/sections/usb-port`)
    here.requests.length = 0
    await here.page.reload()
    await here.page.evaluate(() => fetch('/api/defects'))
    expect(here.requests.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['/sections/usb-port', '/api/defects']),
    )
    expect(await here.worker.evaluate(() => caches.keys())).toEqual([])
    expect(await script.text()).not.toMatch(/addEventListener\('fetch'|onfetch|caches/)
  })
})

interface ServiceWorkerScope {
  WindowClient: { prototype: { url: string; focus(): Promise<unknown> } }
  clients: { openWindow(path: string): Promise<unknown> }
  registration: { pushManager: object }
}
