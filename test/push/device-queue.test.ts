import { beforeEach, expect, test } from 'bun:test'
import { silentLog } from '../../server/log.ts'
import type { Outcome } from '../../server/push/deliver.ts'
import { createDeviceQueue } from '../../server/push/device-queue.ts'
import type { Subscription } from '../../server/push/model.ts'
import { limits } from '../../server/push/queue.ts'
import { manualClock } from '../support/push-clock.ts'
import { until } from '../support/until.ts'

const device: Subscription = { endpoint: 'https://fcm.googleapis.com/x', p256dh: 'first', auth: '' }
const delivered: Outcome = { kind: 'delivered', said: '201' }
const busy = (retryAfterMs?: number): Outcome => ({
  kind: 'busy',
  said: '503',
  ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
})

let clock: ReturnType<typeof manualClock>
let answers: Outcome[]
let attempts: { at: number; keys: string; id: string }[]
let recorded: string[]
beforeEach(() => {
  clock = manualClock()
  attempts = []
  recorded = []
})

function start(atOnce = 1, refresh = () => {}) {
  const queue = createDeviceQueue(device, {
    rule: limits,
    clock,
    log: silentLog,
    async attempt({ p256dh }, { id }) {
      attempts.push({ at: clock.now(), keys: p256dh, id })
      return answers.shift() ?? delivered
    },
    record: (_, { kind, said }) => void recorded.push(`${kind}: ${said}`),
    refresh: async () => refresh(),
  })
  queue.update(device, atOnce)
  return queue
}
const defect = (id: string) => ({ id, section_id: 'usb-port', project_name: 'Radio', verbatim: 'loose' })

/** Lets time pass from one waking to the next, until nothing is left to do. */
async function passAll(queue: ReturnType<typeof start>): Promise<void> {
  let idle = false
  void queue.idle().then(() => {
    idle = true
  })
  await until(() => {
    const [next] = clock.sleeping()
    if (next !== undefined) clock.pass(next)
    return idle
  })
}

test('the waits between tries follow the rule, and the sixth failure is the last word', async () => {
  answers = Array.from({ length: 9 }, () => busy())
  const queue = start()
  queue.add(defect('a'))
  await passAll(queue)
  const waits = attempts.slice(1).map(({ at }, i) => at - attempts[i]!.at)
  expect(waits).toHaveLength(5)
  for (const [i, wait] of waits.entries()) {
    expect(wait).toBeGreaterThanOrEqual(limits.backOffMs[i]! * 0.8)
    expect(wait).toBeLessThanOrEqual(limits.backOffMs[i]!)
  }
  expect(recorded).toEqual([...Array.from({ length: 6 }, () => 'busy: 503'), 'busy: 503; given up'])
  expect(queue.unsent()).toBe(0)
})

test('a service that asks for more time than the rule gets it', async () => {
  answers = [busy(90_000), delivered]
  const queue = start()
  queue.add(defect('a'))
  await passAll(queue)
  expect(attempts.map(({ at }) => at)).toEqual([0, 90_000])
})

test('what waits goes on in the order of filing, after the pause', async () => {
  answers = [busy(5_000), delivered, delivered, delivered]
  const queue = start()
  for (const id of ['a', 'b', 'c']) queue.add(defect(id))
  await passAll(queue)
  expect(attempts).toMatchObject([
    { id: 'a', at: 0 },
    { id: 'a', at: 5_000 },
    { id: 'b', at: 5_000 },
    { id: 'c', at: 5_000 },
  ])
})

test('a pause that another push has made longer does not carry a try outside the window', async () => {
  answers = [busy(limits.windowMs - 1_000), busy(limits.windowMs + 60_000), delivered]
  const queue = start(2)
  queue.add(defect('a'))
  await until(() => clock.sleeping().length === 1)
  clock.pass(limits.windowMs - 1_000)
  await until(() => attempts.length === 2)
  await passAll(queue)
  expect(recorded).toEqual(['busy: 503', 'busy: 503', 'busy: 503; given up'])
})

test('a retry goes out with the keys that the device has by then', async () => {
  answers = [busy(), delivered]
  const queue = start(1, () => queue.update({ ...device, p256dh: 'renewed' }, 1))
  queue.add(defect('a'))
  await passAll(queue)
  expect(attempts.map(({ keys }) => keys)).toEqual(['first', 'renewed'])
})

test('a closed queue sends nothing more, and nobody waits for it', async () => {
  answers = [busy()]
  const queue = start()
  for (const id of ['a', 'b']) queue.add(defect(id))
  await until(() => clock.sleeping().length === 1)
  queue.close()
  await queue.idle()
  expect(attempts).toHaveLength(1)
  expect(queue.waiting()).toBe(0)
})

test('an attempt that throws harms nobody', async () => {
  const failing = createDeviceQueue(device, {
    rule: limits,
    clock,
    log: silentLog,
    attempt: () => Promise.reject(new Error('unforeseen')),
    record() {},
    refresh: async () => {},
  })
  failing.add(defect('a'))
  await failing.idle()
})
