import type { Database } from '../db/database.ts'
import type { Log } from '../log.ts'
import type { Outcome } from './deliver.ts'
import { recordOutcome } from './devices.ts'
import { deviceName } from './endpoint.ts'

/**
 * Says what became of pushes, the same refusal once, and keeps the last outcome of each device.
 * Written one at a time: a burst costs the database few writes.
 */
export function createRecorder(db: Database, log: Log) {
  const latest = new Map<string, Outcome>()
  const refusals = new Map<string, number | string>()
  let writing: Promise<void> | undefined

  async function write(): Promise<void> {
    for (const [endpoint, outcome] of latest) {
      latest.delete(endpoint)
      await recordOutcome(db, endpoint, outcome).catch(error =>
        log.warn('the outcome of a push was not stored', { reason: (error as Error).message }),
      )
    }
    writing = undefined
  }

  function say(endpoint: string, outcome: Outcome): void {
    const device = deviceName(endpoint)
    if (outcome.kind === 'gone') {
      log.info('a push device is gone and was removed', { device, answer: outcome.said })
    }
    if (outcome.kind === 'delivered') refusals.delete(endpoint)
    if (outcome.kind !== 'refused') return
    const cause = outcome.status ?? outcome.said
    if (refusals.get(endpoint) !== cause) log.warn('a push was refused', { device, cause: outcome.said })
    refusals.set(endpoint, cause)
  }

  return {
    /** Settles when it has been written. */
    async record(endpoint: string, outcome: Outcome): Promise<void> {
      if (latest.get(endpoint)?.kind !== 'gone') {
        say(endpoint, outcome)
        latest.set(endpoint, outcome)
        writing ??= write()
      }
      await writing
    },
    settled: async () => await writing,
  }
}
