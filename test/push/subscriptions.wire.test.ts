import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { pushSubscriptions } from '../../server/db/schema.ts'
import { post, problemOf, project, report, type Send } from '../support/api.ts'
import { ALICE, OWNER, type TestApp, testApp } from '../support/app.ts'
import { healthy } from '../support/health.ts'
import {
  newDevice,
  type PushService,
  pushService,
  type TestDevice,
  vapidPair,
} from '../support/push-service.ts'
import { refusesConnections } from '../support/raw.ts'
import { type SilentService, silentService } from '../support/silent-service.ts'
import { until } from '../support/until.ts'

const PATH = '/api/subscriptions'
const vapid = vapidPair()
let app: TestApp
let owner: Send
let alice: Send
let projectId: string
let service: PushService
let silent: SilentService
let dead: SilentService

beforeAll(async () => {
  service = pushService()
  silent = await silentService()
  dead = await silentService()
  dead.stop()
  app = await testApp({
    env: {
      VAPID_PUBLIC_KEY: vapid.publicKey,
      SIGNING_SECRET: vapid.privateKey,
      PUSH_HOSTS: [service, silent, dead].map(({ host }) => host).join(),
      OWNER_EMAIL: 'Owner@Example.com',
    },
  })
  owner = app.as(OWNER)
  alice = app.as(ALICE)
  projectId = (await project(app)).id
})
beforeEach(() => {
  service.received.length = 0
  service.answer = () => new Response(null, { status: 201 })
})
afterEach(async () => {
  expect(service.faults).toEqual([])
  await app.db.write(async queries => void (await queries.delete(pushSubscriptions)))
})
afterAll(async () => {
  await app.stop()
  await service.stop()
  silent.stop()
})

const rows = () => app.db.read(queries => queries.select().from(pushSubscriptions))
const subscribe = (device: TestDevice) => post(owner, PATH, device.json)
const remove = (body: unknown, headers: Record<string, string> = { 'content-type': 'application/json' }) =>
  owner(PATH, { method: 'DELETE', headers, body: typeof body === 'string' ? body : JSON.stringify(body) })

describe('subscribing', () => {
  test('a device is created once; later its keys are replaced', async () => {
    const device = service.device()
    const first = await subscribe(device)
    expect([first.status, await first.json()]).toEqual([201, { endpoint: device.json.endpoint }])
    const { keys } = service.device().json
    const again = await post(owner, PATH, { ...device.json, keys })
    expect([again.status, await again.json()]).toEqual([200, { endpoint: device.json.endpoint }])
    expect(await rows()).toMatchObject([
      { endpoint: device.json.endpoint, ...keys, ownerEmail: OWNER, vapidPublicKey: vapid.publicKey },
    ])
  })

  test('the same device twice at once is one row, and new once', async () => {
    const device = service.device()
    const answers = await Promise.all(Array.from({ length: 8 }, () => subscribe(device)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 200, 200, 201])
    expect(await rows()).toHaveLength(1)
  })

  test('eleven devices at once leave ten', async () => {
    const answers = await Promise.all(Array.from({ length: 11 }, () => subscribe(service.device())))
    expect(answers.map(({ status }) => status)).toEqual(Array(11).fill(201))
    expect(await rows()).toHaveLength(10)
  })

  test('only the owner may, and nobody without a session', async () => {
    const { json } = service.device()
    for (const method of ['POST', 'DELETE']) {
      const init = { method, body: JSON.stringify(json), headers: { 'content-type': 'application/json' } }
      expect((await app.anonymous(PATH, init)).status).toBe(401)
      const refused = await alice(PATH, init)
      expect([refused.status, (await problemOf(refused)).code]).toEqual([403, 'owner_only'])
    }
    expect(await rows()).toEqual([])
  })

  const good = newDevice('https://fcm.googleapis.com').device.json
  const { endpoint, keys } = good
  test.each([
    ['no endpoint', { keys }, ['endpoint']],
    ['no keys', { endpoint }, ['keys']],
    ['empty keys', { endpoint, keys: {} }, ['keys.p256dh', 'keys.auth']],
    ['numbers', { endpoint: 7, keys: { p256dh: 1, auth: 2 } }, ['endpoint', 'keys.p256dh', 'keys.auth']],
    ['http', { endpoint: 'http://fcm.googleapis.com/x', keys }, ['endpoint']],
    ['another host', { endpoint: 'https://evil.test/x', keys }, ['endpoint']],
    ['an inner address', { endpoint: 'https://169.254.169.254/x', keys }, ['endpoint']],
    ['a user name', { endpoint: 'https://u:p@fcm.googleapis.com/x', keys }, ['endpoint']],
    ['a split host', { endpoint: 'https://evil.test;.push.apple.com/', keys }, ['endpoint']],
    ['a long endpoint', { endpoint: `https://fcm.googleapis.com/${'x'.repeat(2_048)}`, keys }, ['endpoint']],
    ['a short secret', { endpoint, keys: { ...keys, auth: 'AAAA' } }, ['keys.auth']],
    ['no point', { endpoint, keys: { ...keys, p256dh: 'B'.repeat(87) } }, ['keys.p256dh']],
    ['null', null, ['body']],
    ['a list', [good], ['body']],
  ])('%s is refused, naming the fields', async (_, body, fields) => {
    const response = await post(owner, PATH, body)
    const { code, errors } = await problemOf(response)
    expect([response.status, code]).toEqual([422, 'invalid_body'])
    const named = errors?.map(({ field }) => field) ?? []
    for (const field of fields) expect(named).toContain(field)
    for (const { message } of errors ?? []) expect(message).toMatch(/^(is|must) /)
    expect(await rows()).toEqual([])
  })

  test('an endpoint of 100 kB is too large', async () => {
    const response = await post(owner, PATH, {
      ...good,
      endpoint: `https://fcm.googleapis.com/${'x'.repeat(100_000)}`,
    })
    expect(response.status).toBe(413)
  })

  test('what a browser adds is ignored', async () => {
    const response = await post(owner, PATH, {
      ...good,
      expirationTime: 123,
      options: { x: 1 },
      owner_email: ALICE,
    })
    expect(response.status).toBe(201)
    expect(await rows()).toMatchObject([{ ownerEmail: OWNER }])
  })
})

describe('unsubscribing', () => {
  test('a device is removed, and removing it again is fine', async () => {
    const { json } = service.device()
    await post(owner, PATH, json)
    for (let i = 0; i < 2; i++) {
      const response = await remove({ endpoint: json.endpoint })
      expect([response.status, await response.text()]).toEqual([204, ''])
    }
    expect(await rows()).toEqual([])
  })

  test('an endpoint that can never have been there is not there', async () => {
    for (const endpoint of ['', 'x', 'https://evil.test/', '\0', '\ud800', 'x'.repeat(10_000)]) {
      expect((await remove({ endpoint })).status).toBe(204)
    }
  })

  test('what says no endpoint is refused', async () => {
    expect((await remove('', {})).status).toBe(415)
    expect((await remove('')).status).toBe(400)
    expect((await remove({})).status).toBe(422)
    expect((await remove({ endpoint: 7 })).status).toBe(422)
    expect((await remove('null')).status).toBe(422)
  })
})

describe('filing', () => {
  test('pushes once to every device, encrypted for it and signed', async () => {
    const devices = [service.device(), service.device()]
    for (const device of devices) await subscribe(device)
    const entry = await report(alice, projectId, 'Der Schirm ist lose 🔩')
    await service.arrived(2)
    for (const push of service.received) {
      expect(push.message).toEqual({
        title: expect.stringMatching(/^Hinge rework · ./),
        body: 'Der Schirm ist lose 🔩',
        section_id: 'usb-port',
        section: 'USB port',
        defect_id: entry.id,
        url: `/defects/${entry.id}`,
      })
      expect(push.headers).toMatchObject({ ttl: '86400', urgency: 'high' })
      expect(push.vapid).toMatchObject({ aud: service.origin, sub: `mailto:${OWNER}`, key: vapid.publicKey })
    }
    expect(new Set(service.received.map(({ device }) => device))).toEqual(new Set(devices))
  })

  test('the same report under the same key pushes once', async () => {
    await subscribe(service.device())
    const body = { section_id: 'usb-port', project_id: projectId, verbatim: 'said twice' }
    const file = () => post(alice, '/api/defects', body, { 'idempotency-key': 'twice' })
    const answers = await Promise.all([file(), file(), file()])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 201])
    await report(alice, projectId, 'the last word')
    await until(() => service.received.some(({ message }) => message.body === 'the last word'))
    expect(service.received.filter(({ message }) => message.body === 'said twice')).toHaveLength(1)
  })

  test('a refused report pushes nothing', async () => {
    await subscribe(service.device())
    const body = { section_id: 'usb-port', project_id: projectId, verbatim: ' ' }
    expect((await post(alice, '/api/defects', body)).status).toBe(422)
    await report(alice, projectId, 'the only word')
    await service.arrived(1)
    expect(service.received.map(({ message }) => message.body)).toEqual(['the only word'])
  })

  test('a device that is gone is forgotten; one that refuses is kept, with the reason', async () => {
    const [gone, refusing] = [service.device(), service.device()]
    await subscribe(gone)
    await subscribe(refusing)
    service.answer = ({ device }) =>
      device === gone
        ? new Response(null, { status: 410 })
        : Response.json({ reason: 'BadJwtToken' }, { status: 403 })
    await report(alice, projectId)
    await until(async () => {
      const kept = await rows()
      return kept.length === 1 && kept[0]?.lastOutcome !== null
    })
    const [kept] = await rows()
    expect(kept?.endpoint).toBe(refusing.json.endpoint)
    expect(kept?.lastOutcome).toStartWith('refused: 403 ')
    expect(kept?.lastOutcome).toContain('BadJwtToken')
  })

  test('a service that has a fault is asked again, and the message arrives once', async () => {
    await subscribe(service.device())
    service.answer = (_, earlier) => new Response(null, { status: earlier === 0 ? 500 : 201 })
    await report(alice, projectId, 'after a fault')
    await service.arrived(2)
    await until(async () => (await rows())[0]?.lastOutcome === 'delivered: 201')
    expect(service.received.map(({ message }) => message.body)).toEqual(['after a fault', 'after a fault'])
  })
})

describe('with a push service in trouble, and over a restart', () => {
  test('a push that is pending at the stop is still sent', async () => {
    await subscribe(service.device())
    let release = () => {}
    service.answer = () =>
      new Promise(resolve => {
        release = () => resolve(new Response(null, { status: 201 }))
      })
    await report(alice, projectId, 'just before the end')
    await service.arrived(1)
    const halted = app.halt()
    await until(() => refusesConnections(app.origin), 'new connections are refused')
    release()
    await halted
    await app.restart()
    expect(app.logs.filter(({ message }) => message === 'pushes were not sent before the end')).toEqual([])
    expect(await rows()).toMatchObject([{ lastOutcome: 'delivered: 201' }])
  })

  test('answers do not wait for a push service that is dead or silent', async () => {
    await subscribe(newDevice(`http://${silent.host}`).device)
    await subscribe(newDevice(`https://${silent.host}`).device)
    await subscribe(newDevice(`http://${dead.host}`).device)
    // One that waited for its push would take ten seconds: forty do not fit into the time of this test.
    for (let i = 0; i < 40; i++) await report(alice, projectId)
    await until(() => silent.openNow > 0)
    await healthy(app.origin)
  })

  test('a silent push service does not keep the server from stopping', async () => {
    await subscribe(newDevice(`http://${silent.host}`).device)
    await report(alice, projectId)
    await until(() => silent.openNow > 0)
    await app.halt()
    await until(() => silent.openNow === 0)
    await app.restart()
  })

  test('under a new VAPID key old devices get nothing until they subscribe again', async () => {
    const device = service.device()
    await subscribe(device)
    const renewed = vapidPair()
    await app.restart({ VAPID_PUBLIC_KEY: renewed.publicKey, SIGNING_SECRET: renewed.privateKey })
    const other = service.device()
    await subscribe(other)
    await report(alice, projectId)
    await service.arrived(1)
    expect(service.received.map(push => push.device)).toEqual([other])
    expect((await subscribe(device)).status).toBe(200)
    await report(alice, projectId)
    await service.arrived(3)
    expect(service.received.filter(push => push.device === device)).toMatchObject([
      { vapid: { key: renewed.publicKey } },
    ])
  })

  test('with push off nothing can subscribe, and filing works', async () => {
    await subscribe(service.device())
    await app.restart({ VAPID_PUBLIC_KEY: '', SIGNING_SECRET: '' })
    const response = await post(owner, PATH, service.device().json)
    expect([response.status, (await problemOf(response)).code]).toEqual([409, 'push_off'])
    await report(alice, projectId)
    expect((await remove({ endpoint: 'x' })).status).toBe(204)
    const said = () =>
      app.logs.filter(({ message }) => message === 'push is off: VAPID_PUBLIC_KEY is not set')
    await until(() => said().length > 0)
    expect(said()).toHaveLength(1)
    expect(service.received).toEqual([])
  })
})
