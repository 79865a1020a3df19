import { expect, test } from 'bun:test'
import type { Database } from '../../server/db/database.ts'
import { pushSubscriptions } from '../../server/db/schema.ts'
import { DatabaseUnavailable } from '../../server/errors.ts'
import { subscribe } from '../../server/push/devices.ts'
import { createPushQueue, limits } from '../../server/push/queue.ts'
import { answer, besidePushQueue } from '../support/push-queue.ts'
import type { TestDevice } from '../support/push-service.ts'
import { until } from '../support/until.ts'

const here = besidePushQueue()
const { start, subscribed, file, ids, said, lastOutcome, retried, config } = here

test('every device gets exactly one message per defect', async () => {
  const devices = await subscribed(3)
  start()
  const defects = file(5)
  await here.queue.drain(10_000)
  expect(here.service.received).toHaveLength(15)
  for (const device of devices) {
    const got = here.service.received
      .filter(push => push.device === device)
      .map(push => push.message.defect_id)
    expect(got.sort()).toEqual(defects)
  }
  expect(here.service.received[0]?.message).toMatchObject({
    title: 'Radio · USB port',
    section_id: 'usb-port',
    section: 'USB port',
    url: `/defects/${here.service.received[0]?.message.defect_id}`,
  })
})

test('a device of another owner or for another key gets nothing', async () => {
  const { endpoint, keys } = here.service.device().json
  await subscribe(here.database.db, { ...config(), ownerEmail: 'former@example.com' }, { endpoint, ...keys })
  start()
  file()
  await here.queue.drain(10_000)
  expect(here.service.received).toEqual([])
})

test.each([500, 502, 503, 429])('after %i twice a message is delivered once in the end', async status => {
  await subscribed()
  here.service.answer = (_, earlier) => answer(earlier < 2 ? status : 201)
  start()
  const [id] = file()
  await retried(2)
  await here.queue.drain(10_000)
  expect(ids()).toEqual([id!, id!, id!])
  expect(await lastOutcome()).toBe('delivered: 201')
})

test('a message that fails on and on is tried five times more, then given up', async () => {
  await subscribed()
  here.service.answer = () => answer(503)
  start()
  file()
  await retried(5)
  await here.queue.drain(10_000)
  expect(here.service.received).toHaveLength(6)
  expect(said('a push was given up')).toMatchObject([{ level: 'warn', tries: 6 }])
  expect(await lastOutcome()).toBe('busy: 503 the push service has a fault; given up')
})

test('in production five more tries fit into ten minutes', () => {
  expect(limits.backOffMs).toHaveLength(5)
  const longest = limits.backOffMs.reduce((sum, wait) => sum + wait, 0) + 6 * limits.deadlineMs
  expect(longest).toBeLessThanOrEqual(limits.windowMs)
  expect(limits).toMatchObject({ capacity: 10_000, atOnce: 8, windowMs: 600_000, deadlineMs: 10_000 })
})

test('no further try begins outside the window', async () => {
  await subscribed()
  here.service.answer = () => answer(503)
  start({ backOffMs: [60_000], windowMs: 1_000 })
  file()
  await until(async () => (await lastOutcome()) === 'busy: 503 the push service has a fault; given up')
  await here.queue.drain(10_000)
  expect(here.service.received).toHaveLength(1)
})

test('a service that asks for time gets it, and other messages wait too', async () => {
  await subscribed()
  here.service.answer = (_, earlier) => answer(earlier === 0 ? 429 : 201, { 'retry-after': '17' })
  start()
  file()
  await until(() => here.clock.sleeping().length === 1)
  file(2)
  await until(() => here.clock.sleeping().length === 3)
  here.clock.pass(16_999)
  expect(here.clock.sleeping()).toEqual([1, 1, 1])
  expect(here.service.received).toHaveLength(1)
  here.clock.pass(1)
  await here.service.arrived(4)
})

test('a time to wait that ends outside the window is not waited for', async () => {
  await subscribed()
  here.service.answer = () => answer(503, { 'retry-after': '3600' })
  start()
  file()
  await until(async () => (await lastOutcome()) === 'busy: 503 the push service has a fault; given up')
  await here.queue.drain(10_000)
  expect(here.service.received).toHaveLength(1)
})

test.each([404, 410])('%i removes the device, and what waits for it', async status => {
  const [gone, alive] = await subscribed(2)
  here.service.answer = ({ device }) => answer(device === gone ? status : 201)
  start({ atOnce: 2 })
  file(20)
  await here.queue.drain(10_000)
  const count = (device?: TestDevice) => here.service.received.filter(push => push.device === device).length
  expect([count(gone), count(alive)]).toEqual([1, 20])
  expect((await here.database.devices()).map(row => row.endpoint)).toEqual([alive!.json.endpoint])
  expect(JSON.stringify(here.logs)).not.toContain(gone!.path)
})

test.each([400, 401, 403, 413])(
  '%i keeps the device, tries once, and is logged once with the cause',
  async status => {
    await subscribed()
    let request = 0
    here.service.answer = () =>
      Response.json({ reason: 'VapidPkHashMismatch', request: request++ }, { status })
    start()
    file(20)
    await here.queue.drain(10_000)
    expect(here.service.received).toHaveLength(20)
    expect(said('a push was refused')).toMatchObject([
      { level: 'warn', cause: expect.stringContaining('VapidPkHash') },
    ])
    expect(await lastOutcome()).toStartWith(`refused: ${status} `)
  },
)

test('a refusal after a success is logged again', async () => {
  await subscribed()
  here.service.answer = (_, earlier) => answer(earlier === 1 ? 201 : 403)
  start({ atOnce: 1 })
  file(3)
  await here.queue.drain(10_000)
  expect(said('a push was refused')).toHaveLength(2)
})

test('while the database is away pushes wait, and nothing is thrown', async () => {
  await subscribed()
  let away = true
  const flaky: Database = {
    ...here.database.db,
    read: run => (away ? Promise.reject(new DatabaseUnavailable('away')) : here.database.db.read(run)),
    write: () => Promise.reject(new DatabaseUnavailable('away')),
  }
  start({}, flaky)
  const defects = file(3)
  for (let i = 0; i < 2; i++) {
    await until(() => here.clock.sleeping().length === 1)
    away = i === 0
    here.clock.pass(limits.databaseRetryMs)
  }
  await here.service.arrived(3)
  await here.queue.drain(10_000)
  expect(ids().sort()).toEqual(defects)
  expect(said('the outcome of a push was not stored')).not.toHaveLength(0)
})

test('a device whose row makes no sense harms nobody', async () => {
  const { json } = here.service.device()
  const row = { ...json.keys, ownerEmail: config().ownerEmail, vapidPublicKey: here.vapid.publicKey }
  await here.database.db.write(queries =>
    queries.insert(pushSubscriptions).values([
      { ...row, endpoint: 'not a url' },
      { ...row, endpoint: `${here.service.origin}/x`, p256dh: 'no key', auth: '' },
    ]),
  )
  await subscribed()
  start()
  const [id] = file()
  await here.queue.drain(10_000)
  expect(ids()).toEqual([id!])
  const outcomes = (await here.database.devices()).map(({ lastOutcome }) => lastOutcome?.split(':')[0])
  expect(outcomes.sort()).toEqual(['delivered', 'refused', 'refused'])
})

test('with push off filing costs nothing and touches nothing', async () => {
  const db = new Proxy({} as Database, {
    get() {
      throw new Error('touched')
    },
  })
  here.queue = createPushQueue({
    config: { ownerEmail: 'owner@example.com', pushHosts: [] },
    db,
    board: () => here.board,
    log: here.log,
  })
  file(10)
  await here.queue.drain(1_000)
  expect(here.logs).toEqual([])
})
