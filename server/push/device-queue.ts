import { setTimeout } from 'node:timers/promises'
import PQueue from 'p-queue'
import type { Log } from '../log.ts'
import type { Outcome } from './deliver.ts'
import { deviceName } from './endpoint.ts'
import type { PushedDefect } from './message.ts'
import type { Subscription } from './model.ts'

export const retryRule = {
  /** before each further try of a push, unless the service asks for more */
  backOffMs: [1_000, 4_000, 15_000, 60_000, 240_000],
  /** so long after its first try a push is given up */
  windowMs: 10 * 60_000,
}
type RetryRule = typeof retryRule

export interface Clock {
  now(): number
  /** Ends early when the signal does; never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

export const systemClock: Clock = {
  now: () => performance.now(),
  sleep: (ms, signal) => setTimeout(ms, undefined, { signal }).catch(() => {}),
}

interface DeviceQueueDeps {
  rule: RetryRule
  clock: Clock
  log: Log
  attempt(device: Subscription, defect: PushedDefect): Promise<Outcome>
  record(device: Subscription, outcome: Outcome): void
  /** Reads the devices anew: no retry goes to one that has left. */
  refresh(): Promise<void>
}

export type DeviceQueue = ReturnType<typeof createDeviceQueue>

/** What waits for one device, oldest first. While its push service is in trouble, all of it waits. */
export function createDeviceQueue(subscription: Subscription, deps: DeviceQueueDeps) {
  const waiting: PushedDefect[] = []
  const tasks = new PQueue()
  const pause = createPause(deps.clock)
  let device = subscription
  let started = 0

  async function sendOldest(): Promise<void> {
    const defect = (await pause.ends()) ? waiting.shift() : undefined
    if (!defect) return
    started++
    if (await send(defect, () => device, pause, deps)) started--
  }

  /** Nothing a push does may end the process. */
  function unforeseen(error: unknown): void {
    const name = deviceName(device.endpoint)
    deps.log.warn('a push failed', { device: name, reason: (error as Error).message })
  }

  return {
    waiting: () => waiting.length,
    /** What has no last word yet. */
    unsent: () => waiting.length + started,
    add(defect: PushedDefect): void {
      waiting.push(defect)
      if (tasks.size < waiting.length) void tasks.add(() => sendOldest().catch(unforeseen))
    },
    dropOldest: () => void waiting.shift(),
    /** New keys of the same device, and how many pushes may be under way. */
    update(subscription: Subscription, atOnce: number): void {
      device = subscription
      tasks.concurrency = atOnce
    },
    idle: () => tasks.onIdle(),
    endBy: pause.endBy,
    close(): void {
      waiting.length = 0
      pause.endBy(Number.NEGATIVE_INFINITY)
    },
  }
}

/** Tries until there is a last word; false when the queue ended before. */
async function send(
  defect: PushedDefect,
  device: () => Subscription,
  pause: Pause,
  { rule, clock, log, attempt, record, refresh }: DeviceQueueDeps,
): Promise<boolean> {
  const windowEnds = clock.now() + rule.windowMs
  for (let tries = 1; ; tries++) {
    const outcome = await attempt(device(), defect)
    record(device(), outcome)
    if (outcome.kind !== 'busy') return true
    const wait = waitAfter(tries, outcome.retryAfterMs, rule)
    pause.begin(Math.min(wait, rule.windowMs))
    const mayRetry = tries <= rule.backOffMs.length && clock.now() + wait <= windowEnds
    if (mayRetry && (await pause.ends(windowEnds))) await refresh()
    else if (!pause.outlastsQueue()) {
      record(device(), { ...outcome, said: `${outcome.said}; given up` })
      log.warn('a push was given up', { device: deviceName(device().endpoint), cause: outcome.said, tries })
      return true
    }
    if (pause.outlastsQueue()) return false
  }
}

function waitAfter(tries: number, retryAfterMs = 0, { backOffMs }: RetryRule): number {
  const backOff = backOffMs[tries - 1] ?? backOffMs.at(-1) ?? 0
  return Math.max(backOff * (0.8 + Math.random() * 0.2), retryAfterMs)
}

type Pause = ReturnType<typeof createPause>

/** How long a queue is held back; it never waits for what comes after its own end. */
function createPause(clock: Clock) {
  const ending = new AbortController()
  let until = 0
  let queueEnds = Number.POSITIVE_INFINITY
  return {
    begin(ms: number): void {
      until = Math.max(until, clock.now() + ms)
    },
    /** Waits for the end of the pause; false when it comes too late. */
    async ends(latest = Number.POSITIVE_INFINITY): Promise<boolean> {
      while (until > clock.now()) {
        if (until > Math.min(latest, queueEnds)) return false
        await clock.sleep(until - clock.now(), ending.signal)
      }
      return clock.now() <= queueEnds
    },
    outlastsQueue: () => Math.max(until, clock.now()) > queueEnds,
    endBy(time: number): void {
      queueEnds = time
      if (until > time) ending.abort()
    },
  }
}
