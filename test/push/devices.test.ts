import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { pushSubscriptions } from '../../server/db/schema.ts'
import { Refusal } from '../../server/errors.ts'
import { silentLog } from '../../server/log.ts'
import {
  deviceStatus,
  devicesInForce,
  recordOutcome,
  subscribe,
  unsubscribe,
} from '../../server/push/devices.ts'
import { createRecorder } from '../../server/push/outcome.ts'
import { pushDatabase } from '../support/push-database.ts'
import { newDevice, vapidPair } from '../support/push-service.ts'

let database: Awaited<ReturnType<typeof pushDatabase>>
beforeAll(async () => {
  database = await pushDatabase()
})
afterEach(() => database.clear())
afterAll(() => database.close())

const vapid = vapidPair()
const config = { ownerEmail: 'owner@example.com', vapid }
function device() {
  const { endpoint, keys } = newDevice('https://fcm.googleapis.com').device.json
  return { endpoint, ...keys }
}
const endpoints = async () => (await database.devices()).map(row => row.endpoint)

test('a device is new once, and its keys are replaced afterwards', async () => {
  const { db } = database
  const first = device()
  expect(await subscribe(db, config, first)).toMatchObject({ isNew: true })
  expect(await subscribe(db, config, first)).toMatchObject({ isNew: false })
  const renewed = { ...device(), endpoint: first.endpoint }
  expect(await subscribe(db, config, renewed)).toMatchObject({ isNew: false })
  expect(await devicesInForce(db, config)).toEqual([renewed])
})

test('beyond ten devices the oldest gives way', async () => {
  const all = Array.from({ length: 12 }, device)
  for (const one of all) await subscribe(database.db, config, one)
  expect(await endpoints()).toEqual(all.slice(2).map(one => one.endpoint))
})

test('a new device stays also when the clock has gone back since the others came', async () => {
  for (let i = 0; i < 10; i++) await subscribe(database.db, config, device())
  await database.db.write(queries =>
    queries.update(pushSubscriptions).set({ createdAt: new Date('2100-01-01') }),
  )
  const newest = device()
  await subscribe(database.db, config, newest)
  expect(await endpoints()).toContain(newest.endpoint)
  expect(await endpoints()).toHaveLength(10)
})

test('devices out of force give way before those in force', async () => {
  const { db } = database
  const kept = device()
  await subscribe(db, config, kept)
  const former = Array.from({ length: 9 }, device)
  for (const one of former) await subscribe(db, { ...config, ownerEmail: 'former@example.com' }, one)
  const newest = device()
  await subscribe(db, config, newest)
  expect(await endpoints()).toEqual([kept, ...former.slice(1), newest].map(one => one.endpoint))
})

test('many at once, also through two instances, leave ten devices, each once', async () => {
  const other = database.second()
  const all = Array.from({ length: 30 }, device)
  const outcomes = await Promise.all(
    all.flatMap((one, i) => [
      subscribe(i % 2 ? database.db : other, config, one),
      subscribe(i % 2 ? other : database.db, config, one),
    ]),
  )
  expect(outcomes).toHaveLength(60)
  expect(new Set(await endpoints()).size).toBe(10)
  await other.close()
})

test('only devices made for this owner and this key are sent to', async () => {
  const { db } = database
  const renewed = { ...config, vapid: vapidPair() }
  const [ours, othersKey, othersOwner] = [device(), device(), device()]
  await subscribe(db, config, ours)
  await subscribe(db, renewed, othersKey)
  await subscribe(db, { ...config, ownerEmail: 'other@example.com' }, othersOwner)
  expect(await devicesInForce(db, config)).toEqual([ours])
  expect(await devicesInForce(db, renewed)).toEqual([othersKey])
  expect(await devicesInForce(db, { ownerEmail: config.ownerEmail })).toEqual([])
  expect((await deviceStatus(db, config)).map(({ inForce }) => inForce)).toEqual([true, false, false])
})

test('a device that subscribes again under a new key is in force again', async () => {
  const { db } = database
  const one = device()
  await subscribe(db, config, one)
  const renewed = { ...config, vapid: vapidPair() }
  expect(await subscribe(db, renewed, one)).toMatchObject({ isNew: false })
  expect(await devicesInForce(db, renewed)).toEqual([one])
})

test('unsubscribing takes the endpoint as it was sent, and never complains', async () => {
  const { db } = database
  const one = device()
  await subscribe(db, config, one)
  await unsubscribe(db, one.endpoint.replace('.com/', '.com:443/'))
  expect(await endpoints()).toEqual([])
  for (const odd of [
    one.endpoint,
    '',
    'x',
    'https://x/\0',
    'a:\0',
    '\ud800',
    `https://x/${'y'.repeat(9_000)}`,
  ]) {
    await unsubscribe(db, odd)
  }
})

test('the last outcome of a device is kept; only one that is gone is removed', async () => {
  const { db } = database
  const [one, two] = [device(), device()]
  await subscribe(db, config, one)
  await subscribe(db, config, two)
  await recordOutcome(db, one.endpoint, { kind: 'refused', said: '403 no', status: 403 })
  await recordOutcome(db, two.endpoint, { kind: 'gone', said: '410', status: 410 })
  const status = await deviceStatus(db, config)
  expect(status).toMatchObject([{ lastOutcome: 'refused: 403 no', inForce: true }])
  expect(status[0]?.device).toMatch(/^fcm\.googleapis\.com\/[0-9a-f]{8}$/)
  expect(status[0]!.lastOutcomeAt!.getTime()).toBeGreaterThanOrEqual(status[0]!.subscribedAt.getTime())
})

test('a device that is gone is removed, whatever a push beside it was answered', async () => {
  const [one, two] = [device(), device()]
  await subscribe(database.db, config, one)
  await subscribe(database.db, config, two)
  const recorder = createRecorder(database.db, silentLog)
  void recorder.record(one.endpoint, { kind: 'delivered', said: '201' })
  void recorder.record(two.endpoint, { kind: 'delivered', said: '201' })
  void recorder.record(two.endpoint, { kind: 'gone', said: '410' })
  void recorder.record(two.endpoint, { kind: 'busy', said: '503' })
  await recorder.settled()
  expect(await endpoints()).toEqual([one.endpoint])
})

test('without VAPID keys nothing can subscribe', async () => {
  const attempt = subscribe(database.db, { ownerEmail: config.ownerEmail }, device())
  expect(await attempt.catch(error => error)).toEqual(new Refusal('push_off'))
})
