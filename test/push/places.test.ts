import { expect, test } from 'bun:test'
import type { Database } from '../../server/db/database.ts'
import { unsubscribe } from '../../server/push/devices.ts'
import { answer, besidePushQueue } from '../support/push-queue.ts'
import { newDevice } from '../support/push-service.ts'
import { until } from '../support/until.ts'

const here = besidePushQueue()
const { start, keep, subscribed, file, ids, said, held } = here

test.each([
  [1, 4],
  [3, 6],
  [7, 7],
])('%i silent devices hold up no other: they have %i of the eight places', async (count, places) => {
  for (let i = 0; i < count; i++) await keep(newDevice(`http://${here.silent.host}`).device)
  await subscribed()
  start({ deadlineMs: 60_000 })
  file(50)
  await here.service.arrived(50)
  await until(() => here.silent.openNow === places)
  expect(here.silent.connections).toBe(places)
})

test('ten devices share the eight places', async () => {
  await subscribed(10)
  const release = held()
  start()
  file(3)
  await until(() => here.service.openNow === 8)
  release()
  await here.service.arrived(30)
  expect(here.service.mostAtOnce).toBe(8)
})

test('a message that waits for its next try takes no place', async () => {
  const [failing] = await subscribed(2)
  here.service.answer = ({ device }) => answer(device === failing ? 503 : 201)
  start({ atOnce: 1, backOffMs: [60_000] })
  file(10)
  await until(() => here.service.received.filter(push => push.device !== failing).length === 10)
  expect(here.service.received.filter(push => push.device === failing)).toHaveLength(1)
})

test('a device that unsubscribed is not tried again', async () => {
  const [device] = await subscribed()
  here.service.answer = () => answer(503)
  start()
  file()
  await until(() => here.clock.sleeping().length === 1)
  await unsubscribe(here.database.db, device!.json.endpoint)
  here.clock.pass(1_000)
  await here.queue.drain(10_000)
  expect(here.service.received).toHaveLength(1)
  expect(said('a push was given up')).toEqual([])
})

test('at most eight are under way, and a full queue drops the oldest, counted and logged', async () => {
  await subscribed()
  start({ capacity: 20 })
  here.service.answer = () => answer(201)
  file(10)
  await here.service.arrived(10)
  await until(() => here.service.openNow === 0)
  here.service.received.length = 0
  const release = held()
  const first = file(8)
  await here.service.arrived(8)
  const later = file(100)
  await until(() => said('the push queue is full, the oldest are dropped').length === 1)
  release()
  await here.queue.drain(10_000)
  expect(ids().sort()).toEqual([...first, ...later.slice(-20)].sort())
  expect(here.service.mostAtOnce).toBe(8)
})

test('a burst of a thousand reaches the device whole, with few writes to the database', async () => {
  await subscribed()
  let writes = 0
  const counting: Database = {
    ...here.database.db,
    write(run) {
      writes++
      return here.database.db.write(run)
    },
  }
  start({}, counting)
  const defects = file(1_000)
  await here.queue.drain(60_000)
  expect(new Set(ids())).toEqual(new Set(defects))
  expect(here.service.received).toHaveLength(1_000)
  expect(writes).toBeLessThan(900)
})

test('filing does not wait: a thousand go in while the service is silent, at the cost of two readings', async () => {
  await keep(newDevice(`http://${here.silent.host}`).device)
  let readings = 0
  const counting: Database = {
    ...here.database.db,
    read(run) {
      readings++
      return here.database.db.read(run)
    },
  }
  start({ deadlineMs: 60_000 }, counting)
  file(1_000)
  expect(here.silent.connections).toBe(0)
  await until(() => here.silent.connections === 8)
  expect(readings).toBeLessThanOrEqual(2)
})

test('before a silent service ten thousand wait at most, behind eight connections', async () => {
  await keep(newDevice(`http://${here.silent.host}`).device)
  start({ deadlineMs: 60_000 })
  file(8)
  await until(() => here.silent.connections === 8)
  file(12_000)
  const drained = here.queue.drain(5_000)
  here.clock.pass(5_000)
  await drained
  expect(here.silent.connections).toBe(8)
  expect(said('the push queue is full, the oldest are dropped').map(({ dropped }) => dropped)).toEqual([
    1, 1_001,
  ])
  expect(said('pushes were not sent before the end')).toMatchObject([{ count: 10_008 }])
})
