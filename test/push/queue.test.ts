import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import type { Board } from '../../server/board/board.ts'
import type { Database } from '../../server/db/database.ts'
import { pushSubscriptions } from '../../server/db/schema.ts'
import { DatabaseUnavailable } from '../../server/errors.ts'
import { createLog } from '../../server/log.ts'
import { subscribe, unsubscribe } from '../../server/push/devices.ts'
import { createPushQueue, type Limits, limits, type PushQueue } from '../../server/push/queue.ts'
import { manualClock } from '../support/push-clock.ts'
import { pushDatabase } from '../support/push-database.ts'
import {
  newDevice,
  type PushService,
  pushService,
  type TestDevice,
  vapidPair,
} from '../support/push-service.ts'
import { type SilentService, silentService } from '../support/silent-service.ts'
import { until } from '../support/until.ts'

let database: Awaited<ReturnType<typeof pushDatabase>>
let service: PushService
let silent: SilentService
let queue: PushQueue
let clock: ReturnType<typeof manualClock>
let logs: { level: string; message: string; [field: string]: unknown }[]
const vapid = vapidPair()
const board: Board = {
  svg: '',
  sections: new Map([['usb-port', { id: 'usb-port', label: 'USB port' }]]),
  retired: new Map(),
  images: new Map(),
  warnings: [],
}

beforeAll(async () => {
  database = await pushDatabase()
})
afterAll(() => database.close())
beforeEach(async () => {
  service = pushService()
  silent = await silentService()
  logs = []
  clock = manualClock()
})
afterEach(async () => {
  await queue.drain(0)
  expect(service.faults).toEqual([])
  await service.stop()
  silent.stop()
  await database.clear()
})

const config = () => ({
  ownerEmail: 'owner@example.com',
  vapid,
  pushHosts: [service.host, silent.host],
})

function start(changes: Partial<Limits> = {}, db: Database = database.db): PushQueue {
  const log = createLog({ level: 'debug', format: 'json' }, line => void logs.push(JSON.parse(line)))
  queue = createPushQueue({ config: config(), db, board: () => board, log, clock }, changes)
  return queue
}

async function subscribed(count = 1): Promise<TestDevice[]> {
  const devices = Array.from({ length: count }, () => service.device())
  for (const device of devices) await keep(device)
  return devices
}
const keep = ({ json: { endpoint, keys } }: TestDevice) =>
  subscribe(database.db, config(), { endpoint, ...keys })

let filed = 0
function file(count = 1): string[] {
  const ids = Array.from({ length: count }, () => `defect-${filed++}`)
  for (const id of ids)
    queue.later({ id, section_id: 'usb-port', project_name: 'Radio', verbatim: `words of ${id}` })
  return ids
}
const ids = () => service.received.map(push => push.message.defect_id)
const said = (message: string) => logs.filter(line => line.message === message)
const answer = (status: number, headers = {}) => new Response(null, { status, headers })
const lastOutcome = async () => (await database.devices())[0]?.lastOutcome

/** Lets the time pass that the queue waits before each try. */
async function retried(times: number): Promise<void> {
  for (let i = 1; i <= times; i++) {
    await until(() => clock.sleeping().length === 1)
    clock.pass(clock.sleeping()[0]!)
    await service.arrived(i + 1)
  }
}

/** Answers are held back until `release`. */
function held(status = 201, headers = {}) {
  let release = () => {}
  const released = new Promise<void>(resolve => {
    release = resolve
  })
  service.answer = async () => {
    await released
    return answer(status, headers)
  }
  return release
}

test('every device gets exactly one message per defect', async () => {
  const devices = await subscribed(3)
  start()
  const defects = file(5)
  await queue.drain(10_000)
  expect(service.received).toHaveLength(15)
  for (const device of devices) {
    const got = service.received.filter(push => push.device === device).map(push => push.message.defect_id)
    expect(got.sort()).toEqual(defects)
  }
  expect(service.received[0]?.message).toMatchObject({
    title: 'Radio · USB port',
    section_id: 'usb-port',
    section: 'USB port',
    url: `/defects/${service.received[0]?.message.defect_id}`,
  })
})

test('a device of another owner or for another key gets nothing', async () => {
  const { endpoint, keys } = service.device().json
  await subscribe(database.db, { ...config(), ownerEmail: 'former@example.com' }, { endpoint, ...keys })
  start()
  file()
  await queue.drain(10_000)
  expect(service.received).toEqual([])
})

test.each([500, 502, 503, 429])('after %i twice a message is delivered once in the end', async status => {
  await subscribed()
  service.answer = (_, earlier) => answer(earlier < 2 ? status : 201)
  start()
  const [id] = file()
  await retried(2)
  await queue.drain(10_000)
  expect(ids()).toEqual([id!, id!, id!])
  expect(await lastOutcome()).toBe('delivered: 201')
})

test('a message that fails on and on is tried five times more, then given up', async () => {
  await subscribed()
  service.answer = () => answer(503)
  start()
  file()
  await retried(5)
  await queue.drain(10_000)
  expect(service.received).toHaveLength(6)
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
  service.answer = () => answer(503)
  start({ backOffMs: [60_000], windowMs: 1_000 })
  file()
  await until(async () => (await lastOutcome()) === 'busy: 503 the push service has a fault; given up')
  await queue.drain(10_000)
  expect(service.received).toHaveLength(1)
})

test('a service that asks for time gets it, and other messages wait too', async () => {
  await subscribed()
  service.answer = (_, earlier) => answer(earlier === 0 ? 429 : 201, { 'retry-after': '17' })
  start()
  file()
  await until(() => clock.sleeping().length === 1)
  file(2)
  await until(() => clock.sleeping().length === 3)
  clock.pass(16_999)
  expect(clock.sleeping()).toEqual([1, 1, 1])
  expect(service.received).toHaveLength(1)
  clock.pass(1)
  await service.arrived(4)
})

test('a time to wait that ends outside the window is not waited for', async () => {
  await subscribed()
  service.answer = () => answer(503, { 'retry-after': '3600' })
  start()
  file()
  await until(async () => (await lastOutcome()) === 'busy: 503 the push service has a fault; given up')
  await queue.drain(10_000)
  expect(service.received).toHaveLength(1)
})

test.each([404, 410])('%i removes the device, and what waits for it', async status => {
  const [gone, alive] = await subscribed(2)
  service.answer = ({ device }) => answer(device === gone ? status : 201)
  start({ atOnce: 2 })
  file(20)
  await queue.drain(10_000)
  const count = (device?: TestDevice) => service.received.filter(push => push.device === device).length
  expect([count(gone), count(alive)]).toEqual([1, 20])
  expect((await database.devices()).map(row => row.endpoint)).toEqual([alive!.json.endpoint])
  expect(JSON.stringify(logs)).not.toContain(gone!.path)
})

test.each([400, 401, 403, 413])(
  '%i keeps the device, tries once, and is logged once with the cause',
  async status => {
    await subscribed()
    let request = 0
    service.answer = () => Response.json({ reason: 'VapidPkHashMismatch', request: request++ }, { status })
    start()
    file(20)
    await queue.drain(10_000)
    expect(service.received).toHaveLength(20)
    expect(said('a push was refused')).toMatchObject([
      { level: 'warn', cause: expect.stringContaining('VapidPkHash') },
    ])
    expect(await lastOutcome()).toStartWith(`refused: ${status} `)
  },
)

test('a refusal after a success is logged again', async () => {
  await subscribed()
  service.answer = (_, earlier) => answer(earlier === 1 ? 201 : 403)
  start({ atOnce: 1 })
  file(3)
  await queue.drain(10_000)
  expect(said('a push was refused')).toHaveLength(2)
})

test.each([
  [1, 4],
  [3, 6],
  [7, 7],
])('%i silent devices hold up no other: they have %i of the eight places', async (count, places) => {
  for (let i = 0; i < count; i++) await keep(newDevice(`http://${silent.host}`).device)
  await subscribed()
  start({ deadlineMs: 60_000 })
  file(50)
  await service.arrived(50)
  await until(() => silent.openNow === places)
  expect(silent.connections).toBe(places)
})

test('ten devices share the eight places', async () => {
  await subscribed(10)
  const release = held()
  start()
  file(3)
  await until(() => service.openNow === 8)
  release()
  await service.arrived(30)
  expect(service.mostAtOnce).toBe(8)
})

test('a message that waits for its next try takes no place', async () => {
  const [failing] = await subscribed(2)
  service.answer = ({ device }) => answer(device === failing ? 503 : 201)
  start({ atOnce: 1, backOffMs: [60_000] })
  file(10)
  await until(() => service.received.filter(push => push.device !== failing).length === 10)
  expect(service.received.filter(push => push.device === failing)).toHaveLength(1)
})

test('a device that unsubscribed is not tried again', async () => {
  const [device] = await subscribed()
  service.answer = () => answer(503)
  start()
  file()
  await until(() => clock.sleeping().length === 1)
  await unsubscribe(database.db, device!.json.endpoint)
  clock.pass(1_000)
  await queue.drain(10_000)
  expect(service.received).toHaveLength(1)
  expect(said('a push was given up')).toEqual([])
})

test('at most eight are under way, and a full queue drops the oldest, counted and logged', async () => {
  await subscribed()
  start({ capacity: 20 })
  service.answer = () => answer(201)
  file(10)
  await service.arrived(10)
  await until(() => service.openNow === 0)
  service.received.length = 0
  const release = held()
  const first = file(8)
  await service.arrived(8)
  const later = file(100)
  await until(() => said('the push queue is full, the oldest are dropped').length === 1)
  release()
  await queue.drain(10_000)
  expect(ids().sort()).toEqual([...first, ...later.slice(-20)].sort())
  expect(service.mostAtOnce).toBe(8)
})

test('a burst of a thousand reaches the device whole, with few writes to the database', async () => {
  await subscribed()
  let writes = 0
  const counting: Database = {
    ...database.db,
    write(run) {
      writes++
      return database.db.write(run)
    },
  }
  start({}, counting)
  const defects = file(1_000)
  await queue.drain(60_000)
  expect(new Set(ids())).toEqual(new Set(defects))
  expect(service.received).toHaveLength(1_000)
  expect(writes).toBeLessThan(900)
})

test('filing does not wait: a thousand go in while the service is silent, at the cost of two readings', async () => {
  await keep(newDevice(`http://${silent.host}`).device)
  let readings = 0
  const counting: Database = {
    ...database.db,
    read(run) {
      readings++
      return database.db.read(run)
    },
  }
  start({ deadlineMs: 60_000 }, counting)
  file(1_000)
  expect(silent.connections).toBe(0)
  await until(() => silent.connections === 8)
  expect(readings).toBeLessThanOrEqual(2)
})

test('before a silent service ten thousand wait at most, behind eight connections', async () => {
  await keep(newDevice(`http://${silent.host}`).device)
  start({ deadlineMs: 60_000 })
  file(8)
  await until(() => silent.connections === 8)
  file(12_000)
  const drained = queue.drain(5_000)
  clock.pass(5_000)
  await drained
  expect(silent.connections).toBe(8)
  expect(said('the push queue is full, the oldest are dropped').map(({ dropped }) => dropped)).toEqual([
    1, 1_001,
  ])
  expect(said('pushes were not sent before the end')).toMatchObject([{ count: 10_008 }])
})

test('draining sends what is pending', async () => {
  await subscribed(2)
  const release = held()
  start()
  const defects = file(30)
  await service.arrived(4)
  const drained = queue.drain(10_000)
  release()
  await drained
  expect(ids().sort()).toEqual([...defects, ...defects].sort())
})

test('draining ends at its time when the service is silent, and says what was lost', async () => {
  await keep(newDevice(`http://${silent.host}`).device)
  start()
  file(20)
  await until(() => silent.connections === 8)
  const drained = queue.drain(5_000)
  clock.pass(4_999)
  expect(clock.sleeping()).toEqual([1])
  expect(said('pushes were not sent before the end')).toEqual([])
  clock.pass(1)
  await drained
  expect(said('pushes were not sent before the end')).toMatchObject([{ count: 20 }])
  await until(() => silent.openNow === 0)
  file()
  await queue.drain(5_000)
  expect(silent.connections).toBe(8)
})

test('draining waits for a try that comes in time', async () => {
  await subscribed()
  service.answer = (_, earlier) => answer(earlier ? 201 : 503)
  start()
  file()
  await until(() => clock.sleeping().length === 1)
  const drained = queue.drain(5_000)
  clock.pass(1_000)
  await drained
  expect(service.received).toHaveLength(2)
  expect(said('pushes were not sent before the end')).toEqual([])
})

test('draining does not wait for a try that would come too late', async () => {
  await subscribed()
  service.answer = () => answer(503)
  start({ backOffMs: [60_000] })
  file()
  await until(() => clock.sleeping().length === 1)
  await queue.drain(30_000)
  expect(said('pushes were not sent before the end')).toMatchObject([{ count: 1 }])
})

test('a service that asks for more time than draining has ends it', async () => {
  await subscribed()
  const answered = held(429, { 'retry-after': '60' })
  start()
  file(20)
  await service.arrived(8)
  const drained = queue.drain(5_000)
  answered()
  await drained
  expect(service.received).toHaveLength(8)
  expect(said('pushes were not sent before the end')).toMatchObject([{ count: 20 }])
})

test('draining an idle queue ends at once', async () => {
  start()
  await queue.drain(30_000)
})

test('while the database is away pushes wait, and nothing is thrown', async () => {
  await subscribed()
  let away = true
  const flaky: Database = {
    ...database.db,
    read: run => (away ? Promise.reject(new DatabaseUnavailable('away')) : database.db.read(run)),
    write: () => Promise.reject(new DatabaseUnavailable('away')),
  }
  start({}, flaky)
  const defects = file(3)
  for (let i = 0; i < 2; i++) {
    await until(() => clock.sleeping().length === 1)
    away = i === 0
    clock.pass(limits.databaseRetryMs)
  }
  await service.arrived(3)
  await queue.drain(10_000)
  expect(ids().sort()).toEqual(defects)
  expect(said('the outcome of a push was not stored')).not.toHaveLength(0)
})

test('a device whose row makes no sense harms nobody', async () => {
  const { json } = service.device()
  const row = { ...json.keys, ownerEmail: config().ownerEmail, vapidPublicKey: vapid.publicKey }
  await database.db.write(queries =>
    queries.insert(pushSubscriptions).values([
      { ...row, endpoint: 'not a url' },
      { ...row, endpoint: `${service.origin}/x`, p256dh: 'no key', auth: '' },
    ]),
  )
  await subscribed()
  start()
  const [id] = file()
  await queue.drain(10_000)
  expect(ids()).toEqual([id!])
  const outcomes = (await database.devices()).map(({ lastOutcome }) => lastOutcome?.split(':')[0])
  expect(outcomes.sort()).toEqual(['delivered', 'refused', 'refused'])
})

test('with push off filing costs nothing and touches nothing', async () => {
  const db = new Proxy({} as Database, {
    get() {
      throw new Error('touched')
    },
  })
  const log = createLog({ level: 'debug', format: 'json' }, line => void logs.push(JSON.parse(line)))
  queue = createPushQueue({
    config: { ownerEmail: 'owner@example.com', pushHosts: [] },
    db,
    board: () => board,
    log,
  })
  file(10)
  await queue.drain(1_000)
  expect(logs).toEqual([])
})
