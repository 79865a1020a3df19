import { join } from 'node:path'
import { until } from '../support/until.ts'
import { launchWhole } from './support.ts'

export const script = Bun.file(join(import.meta.dir, '../../web/public/sw.js'))

interface Shown {
  title: string
  body: string
  tag: string
  data: { section: string; count: number }
}

/** A server that does no more than a service worker needs; it notes what is asked of it. */
function startServer() {
  const requests: { method: string; path: string; body: string }[] = []
  const session = { push: { public_key: 'BPublicKey' } as { public_key: string } | null }
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url)
      if (pathname === '/favicon.ico') return new Response(null, { status: 404 })
      requests.push({ method: request.method, path: pathname, body: await request.text() })
      if (pathname === '/sw.js') {
        return new Response(script, { headers: { 'content-type': 'text/javascript' } })
      }
      if (pathname === '/api/session') return Response.json(session)
      if (pathname.startsWith('/api/')) return Response.json({}, { status: 201 })
      return new Response(`<!doctype html><title>${pathname}</title>`, {
        headers: { 'content-type': 'text/html' },
      })
    },
  })
  return { requests, session, origin: server.url.origin, stop: () => server.stop(true) }
}

/** The service worker in a page of its own, at work, with notifications allowed. */
export async function startServiceWorker() {
  const server = startServer()
  const { origin } = server
  const browser = await launchWhole()
  const context = await browser.newContext()
  await context.grantPermissions(['notifications'], { origin })
  const page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  let registrationId = ''
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
  const worker = await started
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null)

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

  return {
    ...server,
    context,
    page,
    worker,
    /** Never asked while one is being shown: Chromium would then forget that one. */
    async shownAfter(pushes: unknown[]): Promise<Shown[]> {
      await worker.evaluate(() => {
        const scope = self as unknown as { seen?: number }
        if (scope.seen === undefined) self.addEventListener('push', () => scope.seen!++)
        scope.seen = 0
      })
      await Promise.all(pushes.map(push))
      await until(async () => (await worker.evaluate('seen')) === pushes.length)
      await worker.evaluate('lastShown')
      return shown()
    },
    async closeAll(): Promise<void> {
      await page.evaluate(async () => {
        const registration = await navigator.serviceWorker.ready
        for (const notification of await registration.getNotifications()) notification.close()
      })
      await until(async () => (await shown()).length === 0)
    },
    async stop(): Promise<void> {
      await browser.close()
      await server.stop()
    },
  }
}
