import type { Database } from '../db/database.ts'
import type { Log } from '../log.ts'
import type { Outcome } from './sender.ts'
import { recordOutcome } from './service.ts'

/** Writes the last outcome of each device, one at a time: a burst costs the database few writes. */
export function createRecorder(db: Database, log: Log) {
  const latest = new Map<string, Outcome>()
  let writing: Promise<void> | undefined

  async function write(): Promise<void> {
    for (const [endpoint, outcome] of latest) {
      latest.delete(endpoint)
      await recordOutcome(db, endpoint, outcome).catch(error =>
        log.warn('the outcome of a push was not kept', { reason: (error as Error).message }),
      )
    }
    writing = undefined
  }

  return {
    keep(endpoint: string, outcome: Outcome): void {
      if (latest.get(endpoint)?.kind === 'gone') return
      latest.set(endpoint, outcome)
      writing ??= write()
    },
    settled: async () => await writing,
  }
}
