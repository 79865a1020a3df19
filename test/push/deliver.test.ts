import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { deliver, retryAfter, vapidSubject } from '../../server/push/deliver.ts'
import type { Subscription } from '../../server/push/model.ts'
import { type PushService, pushService, type TestDevice, vapidPair } from '../support/push-service.ts'
import { silentService } from '../support/silent-service.ts'
import { until } from '../support/until.ts'

let service: PushService
const vapid = vapidPair()
const created = () => new Response(null, { status: 201 })
beforeAll(() => {
  service = pushService()
})
afterEach(() => {
  service.answer = created
  service.received.length = 0
  expect(service.faults).toEqual([])
})
afterAll(() => service.stop())

const stored = ({ json: { endpoint, keys } }: TestDevice): Subscription => ({ endpoint, ...keys })
const send = (
  device: Subscription,
  { hosts = [service.host], deadlineMs = 10_000, message = '{"title":"x"}' } = {},
) => deliver({ ownerEmail: 'owner@example.com', vapid, pushHosts: hosts }, device, message, { deadlineMs })

test('a push service can verify who sent a push, and only the device can read it', async () => {
  const device = service.device()
  expect(await send(stored(device), { message: '{"title":"Gehäuse 🔩"}' })).toEqual({
    kind: 'delivered',
    said: '201',
    status: 201,
  })
  const [push] = service.received
  expect(push?.message).toEqual({ title: 'Gehäuse 🔩' } as never)
  expect(push?.vapid).toMatchObject({
    aud: service.origin,
    sub: 'mailto:owner@example.com',
    key: vapid.publicKey,
  })
  expect(push?.headers).toMatchObject({ ttl: '86400', urgency: 'high', 'content-encoding': 'aes128gcm' })
})

test('a message of the largest size fills what every push service takes', async () => {
  const message = JSON.stringify({ body: 'x'.repeat(3_993 - '{"body":""}'.length) })
  expect((await send(stored(service.device()), { message })).kind).toBe('delivered')
  expect(service.received[0]?.bytes).toBe(4_096)
})

test.each([200, 201, 202, 204])('%i means delivered', async status => {
  service.answer = () => new Response(null, { status })
  expect(await send(stored(service.device()))).toEqual({ kind: 'delivered', said: String(status), status })
})

test.each([404, 410])('%i means that the device is gone', async status => {
  service.answer = () => new Response(null, { status })
  expect((await send(stored(service.device()))).kind).toBe('gone')
})

test.each([400, 401, 403, 405, 413, 418])(
  "%i is a refusal that carries the service's words",
  async status => {
    service.answer = () => Response.json({ reason: 'Bad\x1b[31mJwt\nToken' }, { status })
    const outcome = await send(stored(service.device()))
    expect(outcome).toMatchObject({ kind: 'refused', status })
    expect(outcome.said).toStartWith(`${status} the push service `)
    expect(outcome.said).toEndWith(String.raw`: {"reason":"Bad\u001b[31mJwt\nToken"}`)
  },
)

test('raw control characters in an answer do not survive', async () => {
  service.answer = () => new Response('a\x1b[31m\u202eb\r\nc', { status: 403 })
  expect((await send(stored(service.device()))).said).toEndWith(': a [31m b c')
})

test.each([408, 429, 500, 502, 503])('%i is worth another try', async status => {
  service.answer = () => new Response(null, { status })
  expect(await send(stored(service.device()))).toMatchObject({ kind: 'busy', status })
})

test('Retry-After is understood in seconds and as a date', async () => {
  service.answer = () => new Response(null, { status: 429, headers: { 'retry-after': '17' } })
  expect(await send(stored(service.device()))).toMatchObject({ kind: 'busy', retryAfterMs: 17_000 })
  const now = Date.UTC(2026, 10, 21, 8, 0, 0)
  expect(retryAfter('Sat, 21 Nov 2026 08:01:00 GMT', now)).toBe(60_000)
  expect(retryAfter('Sat, 21 Nov 2026 07:00:00 GMT', now)).toBe(0)
  for (const header of [null, 'soon', '-1', '1e3', ' GMT']) {
    expect(retryAfter(header, now)).toBeUndefined()
  }
})

test('a redirect is not followed', async () => {
  const elsewhere = pushService()
  service.answer = () => new Response(null, { status: 307, headers: { location: `${elsewhere.origin}/x` } })
  expect(await send(stored(service.device()), { hosts: [service.host, elsewhere.host] })).toMatchObject({
    kind: 'refused',
    status: 307,
  })
  expect([elsewhere.received, elsewhere.faults]).toEqual([[], []])
  await elsewhere.stop()
})

test.each(['http', 'https'])(
  'a service that takes the connection and stays silent (%s) ends at the deadline',
  async scheme => {
    const silent = await silentService()
    const device = { ...stored(service.device()), endpoint: `${scheme}://${silent.host}/x` }
    const outcome = await send(device, { hosts: [silent.host], deadlineMs: 300 })
    expect(outcome).toEqual({ kind: 'busy', said: `${silent.host} did not answer in time` })
    expect(silent.connections).toBe(1)
    await until(() => silent.openNow === 0)
    silent.stop()
  },
)

test('a service that answers but never ends its answer has answered', async () => {
  for (const [status, kind] of [
    [201, 'delivered'],
    [410, 'gone'],
    [503, 'busy'],
  ] as const) {
    const endless = await silentService(
      `HTTP/1.1 ${status} X\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n`,
    )
    const device = { ...stored(service.device()), endpoint: `http://${endless.host}/x` }
    expect(await send(device, { hosts: [endless.host], deadlineMs: 5_000 })).toMatchObject({ kind, status })
    endless.stop()
  }
})

test('no more than 4 KiB of an answer is read', async () => {
  let cancelled = false
  service.answer = () =>
    new Response(
      new ReadableStream({
        async pull(controller) {
          // Leaves the server the turn in which it learns that nobody reads on.
          await new Promise(resolve => setImmediate(resolve))
          controller.enqueue(new Uint8Array(1_024).fill(120))
        },
        cancel() {
          cancelled = true
        },
      }),
      { status: 403 },
    )
  const outcome = await send(stored(service.device()))
  expect(outcome.status).toBe(403)
  expect(outcome.said.length).toBeLessThan(400)
  await until(() => cancelled)
})

test('nobody listening is worth another try', async () => {
  const silent = await silentService()
  silent.stop()
  const device = { ...stored(service.device()), endpoint: `http://${silent.host}/x` }
  expect(await send(device, { hosts: [silent.host] })).toMatchObject({ kind: 'busy' })
})

test('the host is checked again when sending', async () => {
  const device = stored(service.device())
  for (const endpoint of [
    device.endpoint,
    device.endpoint.replace('http:', 'https:'),
    'https://evil.test/x',
    'https://evil.test;.push.apple.com/x',
    'http://fcm.googleapis.com/x',
    'not a url',
  ]) {
    const outcome = await send({ ...device, endpoint }, { hosts: [] })
    expect([endpoint, outcome.kind]).toEqual([endpoint, 'refused'])
  }
  expect(service.received).toEqual([])
})

test('a device whose keys cannot be used is a refusal, not an exception', async () => {
  const device = { ...stored(service.device()), p256dh: Buffer.alloc(65, 4).toString('base64url') }
  expect((await send(device)).kind).toBe('refused')
  expect(service.received).toEqual([])
})

test("the VAPID subject is the owner's address as a URI", () => {
  expect(vapidSubject('owner@example.com')).toBe('mailto:owner@example.com')
  expect(vapidSubject('o+push@example.com')).toBe('mailto:o+push@example.com')
  expect(vapidSubject('a?b#c%d/e@example.com')).toBe('mailto:a%3Fb%23c%25d%2Fe@example.com')
  for (const odd of ["o'brien@example.com", 'a{b}|c^`@example.com', 'a&b=c@example.com']) {
    expect(decodeURIComponent(new URL(vapidSubject(odd)).pathname)).toBe(odd)
  }
})
