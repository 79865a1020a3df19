import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'bun:test'
import type { Board } from '../../server/board/board.ts'
import type { Database } from '../../server/db/database.ts'
import { createLog } from '../../server/log.ts'
import { subscribe } from '../../server/push/devices.ts'
import { createPushQueue, type Limits, type PushQueue } from '../../server/push/queue.ts'
import { manualClock } from './push-clock.ts'
import { pushDatabase } from './push-database.ts'
import { type PushService, pushService, type TestDevice, vapidPair } from './push-service.ts'
import { type SilentService, silentService } from './silent-service.ts'
import { until } from './until.ts'

interface LogLine {
  level: string
  message: string
  [field: string]: unknown
}

const board: Board = {
  svg: '',
  sections: new Map([['usb-port', { id: 'usb-port', label: 'USB port' }]]),
  retired: new Map(),
  images: new Map(),
  warnings: [],
}

export const answer = (status: number, headers = {}) => new Response(null, { status, headers })

/** For all tests of one file: a database, and for each of them a clock of its own, a push service and one that is silent. */
export function besidePushQueue() {
  const here = { board, vapid: vapidPair() } as {
    board: Board
    vapid: ReturnType<typeof vapidPair>
    database: Awaited<ReturnType<typeof pushDatabase>>
    service: PushService
    silent: SilentService
    queue: PushQueue
    clock: ReturnType<typeof manualClock>
    logs: LogLine[]
  }

  beforeAll(async () => {
    here.database = await pushDatabase()
  })
  afterAll(() => here.database.close())
  beforeEach(async () => {
    here.service = pushService()
    here.silent = await silentService()
    here.logs = []
    here.clock = manualClock()
  })
  afterEach(async () => {
    await here.queue.drain(0)
    expect(here.service.faults).toEqual([])
    await here.service.stop()
    here.silent.stop()
    await here.database.clear()
  })

  const config = () => ({
    ownerEmail: 'owner@example.com',
    vapid: here.vapid,
    pushHosts: [here.service.host, here.silent.host],
  })
  const log = createLog({ level: 'debug', format: 'json' }, line => void here.logs.push(JSON.parse(line)))
  const keep = ({ json: { endpoint, keys } }: TestDevice) =>
    subscribe(here.database.db, config(), { endpoint, ...keys })
  let filed = 0

  return Object.assign(here, {
    config,
    log,
    keep,
    start(changes: Partial<Limits> = {}, db: Database = here.database.db): PushQueue {
      here.queue = createPushQueue(
        { config: config(), db, board: () => board, log, clock: here.clock },
        changes,
      )
      return here.queue
    },
    async subscribed(count = 1): Promise<TestDevice[]> {
      const devices = Array.from({ length: count }, () => here.service.device())
      for (const device of devices) await keep(device)
      return devices
    },
    file(count = 1): string[] {
      const ids = Array.from({ length: count }, () => `defect-${filed++}`)
      for (const id of ids) {
        const verbatim = `words of ${id}`
        here.queue.later({ id, section_id: 'usb-port', project_name: 'Radio', verbatim })
      }
      return ids
    },
    ids: () => here.service.received.map(push => push.message.defect_id),
    said: (message: string) => here.logs.filter(line => line.message === message),
    lastOutcome: async () => (await here.database.devices())[0]?.lastOutcome,
    /** Lets the time pass that the queue waits before each try. */
    async retried(times: number): Promise<void> {
      for (let i = 1; i <= times; i++) {
        await until(() => here.clock.sleeping().length === 1)
        here.clock.pass(here.clock.sleeping()[0]!)
        await here.service.arrived(i + 1)
      }
    },
    /** Answers are held back until `release`. */
    held(status = 201, headers = {}) {
      let release = () => {}
      const released = new Promise<void>(resolve => {
        release = resolve
      })
      here.service.answer = async () => {
        await released
        return answer(status, headers)
      }
      return release
    },
  })
}
