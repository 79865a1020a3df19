import { describe, expect, test } from 'bun:test'
import { post, problemOf } from '../support/api.ts'
import { ALICE, OWNER } from '../support/app.ts'
import { newDevice } from '../support/push-service.ts'
import { besidePushServices, PATH } from '../support/push-services.ts'
import { until } from '../support/until.ts'

const here = besidePushServices()
const { rows, subscribe, remove } = here

describe('subscribing', () => {
  test('a device is created once; later its keys are replaced', async () => {
    const device = here.service.device()
    const first = await subscribe(device)
    expect([first.status, await first.json()]).toEqual([201, { endpoint: device.json.endpoint }])
    const { keys } = here.service.device().json
    const again = await post(here.owner, PATH, { ...device.json, keys })
    expect([again.status, await again.json()]).toEqual([200, { endpoint: device.json.endpoint }])
    expect(await rows()).toMatchObject([
      { endpoint: device.json.endpoint, ...keys, ownerEmail: OWNER, vapidPublicKey: here.vapid.publicKey },
    ])
  })

  test('the same device twice at once is one row, and new once', async () => {
    const device = here.service.device()
    const answers = await Promise.all(Array.from({ length: 8 }, () => subscribe(device)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 200, 200, 201])
    expect(await rows()).toHaveLength(1)
  })

  test('devices that come, give way and go are in the audit trail, without their secret address', async () => {
    const devices = Array.from({ length: 11 }, () => here.service.device())
    for (const device of devices) await subscribe(device)
    await subscribe(devices[10]!)
    await remove({ endpoint: devices[10]!.json.endpoint })
    const recorded = (event: string) =>
      here.app.logs.filter(line => line.level === 'audit' && line.event === event && line.actor === OWNER)
    await until(() => recorded('device_removed').length > 0)
    const [displaced, removed] = [recorded('device_displaced').at(-1), recorded('device_removed').at(-1)]
    expect(displaced).toMatchObject({ device: recorded('device_added').at(-11)?.device })
    expect(removed).toMatchObject({ device: recorded('device_renewed').at(-1)?.device })
    const paths = devices.map(({ json }) => new URL(json.endpoint).pathname)
    expect(paths.filter(path => JSON.stringify(here.app.logs).includes(path))).toEqual([])
  })

  test('eleven devices at once leave ten', async () => {
    const answers = await Promise.all(Array.from({ length: 11 }, () => subscribe(here.service.device())))
    expect(answers.map(({ status }) => status)).toEqual(Array(11).fill(201))
    expect(await rows()).toHaveLength(10)
  })

  test('only the owner may, and nobody without a session', async () => {
    const { json } = here.service.device()
    for (const method of ['POST', 'DELETE']) {
      const init = { method, body: JSON.stringify(json), headers: { 'content-type': 'application/json' } }
      expect((await here.app.anonymous(PATH, init)).status).toBe(401)
      const refused = await here.alice(PATH, init)
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
    const response = await post(here.owner, PATH, body)
    const { code, errors } = await problemOf(response)
    expect([response.status, code]).toEqual([422, 'invalid_body'])
    const named = errors?.map(({ field }) => field) ?? []
    for (const field of fields) expect(named).toContain(field)
    for (const { message } of errors ?? []) expect(message).toMatch(/^(is|must) /)
    expect(await rows()).toEqual([])
  })

  test('an endpoint of 100 kB is too large', async () => {
    const response = await post(here.owner, PATH, {
      ...good,
      endpoint: `https://fcm.googleapis.com/${'x'.repeat(100_000)}`,
    })
    expect(response.status).toBe(413)
  })

  test('what a browser adds is ignored', async () => {
    const response = await post(here.owner, PATH, {
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
    const { json } = here.service.device()
    await post(here.owner, PATH, json)
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
