import PQueue from 'p-queue'
import type { Board } from '../board/board.ts'
import { coalesced } from '../coalesce.ts'
import type { Database } from '../db/database.ts'
import type { Log } from '../log.ts'
import { deliver, type Outcome, type SenderConfig } from './deliver.ts'
import { type Clock, createDeviceQueue, type DeviceQueue, retryRule, systemClock } from './device-queue.ts'
import { devicesInForce } from './devices.ts'
import { messageFor, type PushedDefect } from './message.ts'
import type { Subscription } from './model.ts'
import { createRecorder } from './outcome.ts'

export interface PushQueue {
  /** Into the queue; never waits, never throws. */
  later(defect: PushedDefect): void
  /** Sends what is pending, for at most `ms`. */
  drain(ms: number): Promise<void>
}

export const limits = {
  ...retryRule,
  /** pushes that may wait; beyond that the oldest is dropped */
  capacity: 10_000,
  atOnce: 8,
  /** of one attempt */
  deadlineMs: 10_000,
  databaseRetryMs: 2_000,
}
export type Limits = typeof limits

interface QueueDeps {
  config: SenderConfig
  db: Database
  /** the one in use when a message is made */
  board: () => Board
  log: Log
  clock?: Clock
}

export function createPushQueue(deps: QueueDeps, changes: Partial<Limits> = {}): PushQueue {
  if (!deps.config.vapid) return { later() {}, async drain() {} }
  return runningQueue({ clock: systemClock, ...deps }, { ...limits, ...changes })
}

function runningQueue(deps: Required<QueueDeps>, limits: Limits): PushQueue {
  const { clock, log } = deps
  const stop = new AbortController()
  const devices = createDeviceQueues(deps, limits, stop.signal)
  /** not yet given to the devices */
  const filed: PushedDefect[] = []
  let distributing: Promise<void> | undefined
  let dropped = 0

  function dropBeyondCapacity(): void {
    while (filed.length + devices.waiting() > limits.capacity) {
      if (devices.waiting()) devices.dropOldest()
      else filed.shift()
      dropped++
      if (dropped % 1_000 === 1) log.warn('the push queue is full, the oldest are dropped', { dropped })
    }
  }

  /** Who subscribed before a defect was filed gets it: the devices are read after it came. */
  async function distribute(): Promise<void> {
    while (filed.length && !stop.signal.aborted) {
      const newest = filed.at(-1)
      const fault = await devices.refresh().catch(error => error as Error)
      if (fault) {
        log.warn('push devices cannot be read, trying again', { reason: fault.message })
        await clock.sleep(limits.databaseRetryMs, stop.signal)
        continue
      }
      for (const defect of filed.splice(0, filed.lastIndexOf(newest!) + 1)) {
        devices.add(defect)
        dropBeyondCapacity()
      }
    }
    distributing = undefined
  }

  return {
    later(defect) {
      if (stop.signal.aborted) return
      filed.push(defect)
      dropBeyondCapacity()
      distributing ??= distribute()
    },
    async drain(ms) {
      devices.endBy(clock.now() + ms)
      const sent = Promise.resolve(distributing).then(devices.idle)
      await Promise.race([sent, clock.sleep(ms, stop.signal)])
      const count = filed.length + devices.unsent()
      devices.close()
      stop.abort()
      filed.length = 0
      if (count) log.warn('pushes were not sent before the end', { count })
    },
  }
}

/** A queue for each device in force. */
function createDeviceQueues(deps: Required<QueueDeps>, limits: Limits, stopped: AbortSignal) {
  const { db, config, clock, log } = deps
  const queues = new Map<string, DeviceQueue>()
  const recorder = createRecorder(db, log)
  const attempt = createAttempt(deps, limits, stopped)
  const reading = coalesced<object, void>(readDevices)
  const refresh = () => reading({})
  const all = () => [...queues.values()]
  const sum = (count: (queue: DeviceQueue) => number) => all().reduce((sum, queue) => sum + count(queue), 0)

  async function readDevices(): Promise<void> {
    const devices = await devicesInForce(db, config)
    closeOthers(queues, devices)
    for (const device of devices) {
      const queue = queues.get(device.endpoint) ?? queueFor(device)
      queues.set(device.endpoint, queue)
      // A slow device holds up no other: each has its share of the places.
      queue.update(device, Math.max(1, Math.floor(limits.atOnce / devices.length)))
    }
  }

  function queueFor(device: Subscription): DeviceQueue {
    const known = () => refresh().catch(() => {})
    return createDeviceQueue(device, { rule: limits, clock, log, attempt, record, refresh: known })
  }

  async function record({ endpoint }: Subscription, outcome: Outcome): Promise<void> {
    const queue = queues.get(endpoint)
    if (stopped.aborted || !queue) return
    if (outcome.kind === 'gone') queue.close()
    await recorder.record(endpoint, outcome)
    // Not before it has left the table: the next reading would bring it back.
    if (outcome.kind === 'gone' && queues.get(endpoint) === queue) queues.delete(endpoint)
  }

  return {
    refresh,
    waiting: () => sum(queue => queue.waiting()),
    unsent: () => sum(queue => queue.unsent()),
    add: (defect: PushedDefect) => all().forEach(queue => void queue.add(defect)),
    /** Every device gets the same in the same order: the longest queue begins with the oldest. */
    dropOldest: () =>
      all()
        .reduce((a, b) => (b.waiting() > a.waiting() ? b : a))
        .dropOldest(),
    endBy: (time: number) => all().forEach(queue => void queue.endBy(time)),
    async idle(): Promise<void> {
      await Promise.all(all().map(queue => queue.idle()))
      await recorder.settled()
    },
    close: () => all().forEach(queue => void queue.close()),
  }
}

function createAttempt({ config, board }: QueueDeps, { atOnce, deadlineMs }: Limits, signal: AbortSignal) {
  const places = new PQueue({ concurrency: atOnce })
  return (device: Subscription, defect: PushedDefect) =>
    places.add(() => deliver(config, device, messageFor(defect, board()), { deadlineMs, signal }))
}

function closeOthers(queues: Map<string, DeviceQueue>, devices: Subscription[]): void {
  const inForce = new Set(devices.map(device => device.endpoint))
  for (const [endpoint, queue] of queues) {
    if (inForce.has(endpoint)) continue
    queue.close()
    queues.delete(endpoint)
  }
}
