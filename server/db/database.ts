import { sql } from 'drizzle-orm'
import { DatabaseUnavailable } from '../errors.ts'
import { type Client, createClient, type Queries, STATEMENT_DEADLINE_MS, type Target } from './client.ts'
import { within } from './deadline.ts'
import { lostConnection, rolledBack, translate } from './faults.ts'

export type { Queries } from './client.ts'

/**
 * The one door to the database. Every call has a deadline and throws `DatabaseUnavailable`
 * when the database is out of reach, over its time, or not to be trusted. What PostgreSQL itself rolled
 * back, a deadlock or a conflict, is tried again within the deadline.
 */
export interface Database {
  kind: 'postgres' | 'embedded'
  /** Idempotent statements: tried once more on a fresh connection when the first one broke. */
  read<T>(run: (queries: Queries) => Promise<T>): Promise<T>
  /** One statement that changes something. */
  write<T>(run: (queries: Queries) => Promise<T>): Promise<T>
  /** Several statements in one transaction. */
  transaction<T>(run: (queries: Queries) => Promise<T>, options?: TransactionOptions): Promise<T>
  /** True within a second, or false. */
  ping(): Promise<boolean>
  close(): Promise<void>
}

export interface TransactionOptions {
  deadlineMs?: number
  snapshot?: boolean
  /** it reads or writes a stream, which cannot be begun again */
  once?: boolean
}

const PING_DEADLINE_MS = 900
/** With less time left than this nothing is begun again. */
const RETRY_LEAST_MS = 100

export function connect(target: Target, afterClose: () => Promise<void> = async () => {}): Database {
  let client = createClient(target)

  /** A statement over its deadline may hold its connection for ever: later work gets fresh ones. */
  function retire(late: Client) {
    if (late !== client) return
    client = createClient(target)
    late.end(STATEMENT_DEADLINE_MS / 1000).catch(() => {})
  }

  function once<T>(run: (queries: Queries) => Promise<T>, deadlineMs: number): Promise<T> {
    const current = client
    return within(deadlineMs, run(current.queries), () => retire(current))
  }

  async function attempt<T>(
    run: (queries: Queries) => Promise<T>,
    again: (error: unknown, tries: number) => boolean,
    deadlineMs = STATEMENT_DEADLINE_MS,
  ): Promise<T> {
    const deadline = performance.now() + deadlineMs
    for (let tries = 1; ; tries++) {
      try {
        return await once(run, deadline - performance.now())
      } catch (error) {
        const left = deadline - performance.now()
        if (left < RETRY_LEAST_MS || !again(error, tries)) throw translate(error)
        // Two that ran into each other shall not do so again.
        await Bun.sleep(Math.random() * Math.min(20 * tries, left - RETRY_LEAST_MS))
      }
    }
  }

  return {
    kind: target.kind,
    read: run => attempt(run, (error, tries) => rolledBack(error) || (lostConnection(error) && tries === 1)),
    write: run => attempt(run, rolledBack),
    transaction: (run, options = {}) =>
      attempt(
        queries =>
          queries.transaction(
            tx => run(tx as unknown as Queries),
            options.snapshot ? { isolationLevel: 'repeatable read', accessMode: 'read only' } : undefined,
          ),
        options.once ? () => false : rolledBack,
        options.deadlineMs,
      ),
    async ping() {
      try {
        const asked = once(queries => queries.execute(sql`select 1`), STATEMENT_DEADLINE_MS)
        await within(PING_DEADLINE_MS, asked)
        return true
      } catch {
        return false
      }
    },
    async close() {
      await client.end(2)
      await afterClose()
    },
  }
}

/** A database whose schema is not known to be right yet: nobody may use it until then. */
export function availableWhen(ready: () => boolean, db: Database): Database {
  const gate = <T>(use: () => Promise<T>) =>
    ready() ? use() : Promise.reject(new DatabaseUnavailable('starting'))
  return {
    ...db,
    read: run => gate(() => db.read(run)),
    write: run => gate(() => db.write(run)),
    transaction: (run, options) => gate(() => db.transaction(run, options)),
    ping: async () => ready() && (await db.ping()),
  }
}
