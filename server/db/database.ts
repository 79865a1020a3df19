import type { PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import { DatabaseUnavailable } from '../errors.ts'
import { type Client, createClient, STATEMENT_DEADLINE_MS, type Target } from './client.ts'
import { within } from './deadline.ts'
import { lostConnection, translate } from './faults.ts'
import type * as schema from './schema.ts'

export type Queries = PostgresJsDatabase<typeof schema>

/**
 * The one door to the database. Every call has a deadline and throws `DatabaseUnavailable`
 * when the database is out of reach, over its time, or not to be trusted.
 */
export interface Database {
  kind: 'postgres' | 'embedded'
  /** Idempotent statements: tried once more on a fresh connection when the first one broke. */
  read<T>(run: (queries: Queries) => Promise<T>): Promise<T>
  /** One statement that changes something; never repeated. */
  write<T>(run: (queries: Queries) => Promise<T>): Promise<T>
  /** Several statements in one transaction; never repeated. */
  transaction<T>(run: (queries: Queries) => Promise<T>, options?: TransactionOptions): Promise<T>
  /** True within a second, or false. */
  ping(): Promise<boolean>
  close(): Promise<void>
}

export interface TransactionOptions {
  deadlineMs?: number
  snapshot?: boolean
}

const PING_DEADLINE_MS = 900

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

  async function attempt<T>(run: (queries: Queries) => Promise<T>, deadlineMs = STATEMENT_DEADLINE_MS) {
    try {
      return await once(run, deadlineMs)
    } catch (error) {
      throw translate(error)
    }
  }

  return {
    kind: target.kind,
    write: run => attempt(run),
    transaction: (run, options = {}) =>
      attempt(
        queries =>
          queries.transaction(
            tx => run(tx as unknown as Queries),
            options.snapshot ? { isolationLevel: 'repeatable read', accessMode: 'read only' } : undefined,
          ),
        options.deadlineMs,
      ),
    async read(run) {
      const started = performance.now()
      try {
        return await once(run, STATEMENT_DEADLINE_MS)
      } catch (error) {
        const left = STATEMENT_DEADLINE_MS - (performance.now() - started)
        if (!lostConnection(error) || left < 100) throw translate(error)
        return attempt(run, left)
      }
    },
    async ping() {
      try {
        const asked = once(queries => queries.execute('select 1'), STATEMENT_DEADLINE_MS)
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
export function heldUntil(ready: () => boolean, db: Database): Database {
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
