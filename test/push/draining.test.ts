import { expect, test } from 'bun:test'
import { answer, besidePushQueue } from '../support/push-queue.ts'
import { newDevice } from '../support/push-service.ts'
import { until } from '../support/until.ts'

const here = besidePushQueue()
const { start, keep, subscribed, file, ids, said, held } = here

test('draining sends what is pending', async () => {
  await subscribed(2)
  const release = held()
  start()
  const defects = file(30)
  await here.service.arrived(4)
  const drained = here.queue.drain(10_000)
  release()
  await drained
  expect(ids().sort()).toEqual([...defects, ...defects].sort())
})

test('draining ends at its time when the service is silent, and says what was lost', async () => {
  await keep(newDevice(`http://${here.silent.host}`).device)
  start()
  file(20)
  await until(() => here.silent.connections === 8)
  const drained = here.queue.drain(5_000)
  here.clock.pass(4_999)
  expect(here.clock.sleeping()).toEqual([1])
  expect(said('pushes were not sent before the end')).toEqual([])
  here.clock.pass(1)
  await drained
  expect(said('pushes were not sent before the end')).toMatchObject([{ count: 20 }])
  await until(() => here.silent.openNow === 0)
  file()
  await here.queue.drain(5_000)
  expect(here.silent.connections).toBe(8)
})

test('draining waits for a try that comes in time', async () => {
  await subscribed()
  here.service.answer = (_, earlier) => answer(earlier ? 201 : 503)
  start()
  file()
  await until(() => here.clock.sleeping().length === 1)
  const drained = here.queue.drain(5_000)
  here.clock.pass(1_000)
  await drained
  expect(here.service.received).toHaveLength(2)
  expect(said('pushes were not sent before the end')).toEqual([])
})

test('draining does not wait for a try that would come too late', async () => {
  await subscribed()
  here.service.answer = () => answer(503)
  start({ backOffMs: [60_000] })
  file()
  await until(() => here.clock.sleeping().length === 1)
  await here.queue.drain(30_000)
  expect(said('pushes were not sent before the end')).toMatchObject([{ count: 1 }])
})

test('a service that asks for more time than draining has ends it', async () => {
  await subscribed()
  const answered = held(429, { 'retry-after': '60' })
  start()
  file(20)
  await here.service.arrived(8)
  const drained = here.queue.drain(5_000)
  answered()
  await drained
  expect(here.service.received).toHaveLength(8)
  expect(said('pushes were not sent before the end')).toMatchObject([{ count: 20 }])
})

test('draining an idle queue ends at once', async () => {
  start()
  await here.queue.drain(30_000)
})
