import type { Board } from '../board/board.ts'
import type { Database } from '../db/database.ts'
import type { Log } from '../log.ts'
import { deliver, type Outcome, type SenderConfig } from './deliver.ts'
import { devicesInForce } from './devices.ts'
import { deviceName } from './endpoint.ts'
import { createLanes, type Lane, type Push } from './lanes.ts'
import { messageFor, type PushedDefect } from './message.ts'
import { createRecorder } from './outcome.ts'
import { type Pace, pace } from './pace.ts'

export interface PushQueue {
  /** Into the queue; never waits, never throws. */
  later(defect: PushedDefect): void
  /** Sends what is pending, for at most `ms`. */
  drain(ms: number): Promise<void>
}

interface QueueDeps {
  config: SenderConfig
  db: Database
  board: Board
  log: Log
}

export function createPushQueue(deps: QueueDeps, changes: Partial<Pace> = {}): PushQueue {
  return deps.config.vapid ? runningQueue(deps, { ...pace, ...changes }) : { later() {}, async drain() {} }
}

function runningQueue({ config, db, board, log }: QueueDeps, pace: Pace): PushQueue {
  const filed: { number: number; defect: PushedDefect }[] = []
  const lanes = createLanes()
  const recorder = createRecorder(db, log)
  /** since the last reading of the devices, which may not have seen it yet */
  const gone = new Set<string>()
  const stop = new AbortController()
  const now = () => performance.now()
  let number = 0
  let underWay = 0
  let spreading = false
  let dropped = 0
  let wake: Timer | undefined
  let wakesAt = Number.POSITIVE_INFINITY
  let drainUntil = Number.POSITIVE_INFINITY
  let whenDrained = () => {}

  const waiting = () => filed.length + lanes.waiting()

  function makeRoom(): void {
    if (waiting() < pace.capacity) return
    const oldest = lanes.oldest()
    if (filed[0] && (oldest === undefined || filed[0].number < oldest)) filed.shift()
    else lanes.dropOldest()
    dropped++
    if (dropped === 1 || dropped % 1_000 === 0) {
      log.warn('the push queue is full, the oldest are dropped', { dropped })
    }
  }

  /** Gives what was filed to the lanes of the devices there are now. */
  async function spread(): Promise<void> {
    if (spreading || stop.signal.aborted) return
    spreading = true
    try {
      do {
        const upTo = number
        await recorder.settled()
        gone.clear()
        const devices = (await devicesInForce(db, config)).filter(({ endpoint }) => !gone.has(endpoint))
        lanes.match(devices)
        while (filed[0] && filed[0].number < upTo) enqueue(filed.shift()!, devices)
        pump()
      } while (filed.length)
    } catch (error) {
      log.warn('push devices cannot be read, trying again', { reason: (error as Error).message })
      wakeAt(now() + pace.databaseRetryMs)
    } finally {
      spreading = false
    }
    sayIfDrained()
  }

  function enqueue({ number, defect }: { number: number; defect: PushedDefect }, devices: Lane['device'][]) {
    if (!devices.length) return
    const message = messageFor(defect, board)
    for (const device of devices) {
      makeRoom()
      lanes.add(device, { number, message, tries: 0 })
    }
  }

  function pump(): void {
    const time = now()
    while (underWay < pace.atOnce) {
      const turn = lanes.next(time, pace.atOnce)
      if (!turn) break
      send(turn.lane, turn.push).catch(unforeseen)
    }
    wakeAt(lanes.wakesAt(time))
  }

  /** Awake, the devices are read anew: a retry must not go to one that has left. */
  function wakeAt(time: number): void {
    if (time >= wakesAt || stop.signal.aborted) return
    wakesAt = time
    clearTimeout(wake)
    wake = setTimeout(
      () => {
        wakesAt = Number.POSITIVE_INFINITY
        void spread()
      },
      Math.max(0, time - now()),
    )
  }

  /** Nothing a push does may end the process. */
  function unforeseen(error: unknown): void {
    log.warn('a push failed', { reason: (error as Error).message })
  }

  async function send(lane: Lane, push: Push): Promise<void> {
    underWay++
    lane.underWay++
    push.tries++
    push.firstTriedAt ??= now()
    const outcome = await deliver(config, lane.device, push.message, {
      deadlineMs: pace.deadlineMs,
      signal: stop.signal,
    })
    underWay--
    lane.underWay--
    if (stop.signal.aborted) return
    settle(lane, push, outcome)
    pump()
    sayIfDrained()
  }

  function settle(lane: Lane, push: Push, outcome: Outcome): void {
    lane.allowance = outcome.kind === 'busy' ? 1 : lane.allowance + 1
    if (outcome.kind === 'busy') return void postpone(lane, push, outcome)
    recorder.keep(lane.device.endpoint, outcome)
    if (outcome.kind !== 'gone') return
    gone.add(lane.device.endpoint)
    lanes.end(lane)
  }

  function postpone(lane: Lane, push: Push, outcome: Outcome & { kind: 'busy' }): void {
    const step = pace.backOffMs[Math.min(push.tries, pace.backOffMs.length) - 1] ?? 0
    const wait = Math.max(step * (0.8 + Math.random() * 0.2), outcome.retryAfterMs ?? 0)
    lane.heldUntil = Math.max(lane.heldUntil, now() + Math.min(wait, pace.windowMs))
    const endsAt = (push.firstTriedAt ?? 0) + pace.windowMs
    const device = deviceName(lane.device.endpoint)
    if (push.tries <= pace.backOffMs.length && now() + wait <= endsAt) {
      lanes.again(lane, push)
      recorder.keep(lane.device.endpoint, outcome)
      log.debug('a push will be tried again', { device, cause: outcome.said, in_ms: Math.round(wait) })
    } else {
      recorder.keep(lane.device.endpoint, { ...outcome, said: `${outcome.said}; given up` })
      log.warn('a push was given up', { device, cause: outcome.said, tries: push.tries })
    }
  }

  function sayIfDrained(): void {
    if (spreading || filed.length || underWay) return
    const next = lanes.wakesAt(now())
    if (!lanes.waiting() || (next < Number.POSITIVE_INFINITY && next > drainUntil)) whenDrained()
  }

  return {
    later(defect) {
      if (stop.signal.aborted) return
      makeRoom()
      filed.push({ number: number++, defect })
      void spread()
    },
    async drain(ms) {
      drainUntil = now() + ms
      await new Promise<void>(resolve => {
        const timer = setTimeout(resolve, ms)
        whenDrained = () =>
          void recorder.settled().then(() => {
            clearTimeout(timer)
            resolve()
          })
        sayIfDrained()
      })
      const lost = waiting() + underWay
      stop.abort()
      clearTimeout(wake)
      if (lost) log.warn('pushes were not sent before the end', { count: lost })
    },
  }
}
