import { sql } from 'drizzle-orm'
import { type Client, createClient, type Queries, STATEMENT_DEADLINE_MS, type Target } from './client.ts'
import { within } from './deadline.ts'
import { leavesServer, lostConnection, nothingDone, rolledBack, translate } from './faults.ts'

export type { Queries } from './client.ts'

/** `read_only`: it answers, and stores nothing: a standby, or one that was told so. */
export type Health = 'ok' | 'unreachable' | 'read_only'

type Run<T> = (queries: Queries) => Promise<T>

/**
 * The one door to the database. Every call has a deadline and throws `DatabaseUnavailable`
 * when the database is out of reach, over its time, or not to be trusted. What came to nothing, after a deadlock or
 * while another server takes over, is tried again within the deadline.
 */
export interface Database {
  kind: 'postgres' | 'embedded'
  /** Idempotent statements: tried once more on a fresh connection when the first one broke. */
  read<T>(run: Run<T>): Promise<T>
  /** Something that changes rows. `repeatable`: it finds by itself what an earlier try may have stored. */
  write<T>(
    run: (queries: Queries, tries: number) => Promise<T>,
    options?: { repeatable?: boolean },
  ): Promise<T>
  /** Several statements in one transaction. */
  transaction<T>(run: Run<T>, options?: TransactionOptions): Promise<T>
  /** Within a second. */
  health(): Promise<Health>
  close(): Promise<void>
}

export interface TransactionOptions {
  deadlineMs?: number
  snapshot?: boolean
  /** it reads or writes a stream, which cannot be begun again */
  once?: boolean
}

const HEALTH_DEADLINE_MS = 900
/** Longer than a server needs whose database is there. */
const START_MS = 1_000
/** With less time left than this nothing is begun again. */
const RETRY_LEAST_MS = 100
const LONGEST_PAUSE_MS = 250
/** So that a server that only reads is not asked for new connections with every report. */
const CLIENT_LEAST_MS = 250

export function connect(target: Target, afterClose: () => Promise<void> = async () => {}): Database {
  let client = createClient(target)
  let begunAt = performance.now()

  /** Later work gets fresh connections, perhaps to another server; what still runs on the old ones may finish. */
  function retire(used: Client) {
    if (used !== client || performance.now() - begunAt < CLIENT_LEAST_MS) return
    client = createClient(target)
    begunAt = performance.now()
    used.end(STATEMENT_DEADLINE_MS / 1000).catch(() => {})
  }

  /** A statement over its deadline may hold its connection for ever. */
  async function once<T>(run: (queries: Queries) => Promise<T>, deadlineMs: number): Promise<T> {
    const used = client
    try {
      return await within(deadlineMs, run(used.queries), () => retire(used))
    } catch (error) {
      if (leavesServer(error)) retire(used)
      throw error
    }
  }

  async function attempt<T>(
    run: (queries: Queries, tries: number) => Promise<T>,
    again: (error: unknown, tries: number) => boolean,
    deadlineMs = STATEMENT_DEADLINE_MS,
  ): Promise<T> {
    const deadline = performance.now() + deadlineMs
    for (let tries = 1; ; tries++) {
      try {
        return await once(queries => run(queries, tries), deadline - performance.now())
      } catch (error) {
        const left = deadline - performance.now() - RETRY_LEAST_MS
        if (left < 0 || !again(error, tries)) throw translate(error)
        // Two that ran into each other shall not do so again.
        await Bun.sleep(Math.random() * Math.min(20 * tries, LONGEST_PAUSE_MS, left))
      }
    }
  }

  return {
    kind: target.kind,
    read: run => attempt(run, (error, tries) => rolledBack(error) || (lostConnection(error) && tries === 1)),
    write: (run, { repeatable = false } = {}) =>
      attempt(run, error => nothingDone(error) || (repeatable && lostConnection(error))),
    transaction: (run, options = {}) =>
      attempt(
        queries =>
          queries.transaction(
            tx => run(tx as unknown as Queries),
            options.snapshot ? { isolationLevel: 'repeatable read', accessMode: 'read only' } : undefined,
          ),
        options.once ? () => false : nothingDone,
        options.deadlineMs,
      ),
    async health() {
      const used = client
      try {
        const asked = once(
          queries => queries.execute<{ read_only: boolean }>(READ_ONLY),
          STATEMENT_DEADLINE_MS,
        )
        const [server] = await within(HEALTH_DEADLINE_MS, asked)
        if (!server?.read_only) return 'ok'
        retire(used)
        return 'read_only'
      } catch {
        return 'unreachable'
      }
    },
    async close() {
      await client.end(2)
      await afterClose()
    },
  }
}

const READ_ONLY = sql`select pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as read_only`

/** A database whose schema is not known to be right yet. Who comes early waits for a moment, and for no outage. */
export function availableAfter(ready: Promise<void>, db: Database): Database {
  let isReady = false
  const known = ready.then(() => {
    isReady = true
  })
  const gate = <T>(use: () => Promise<T>) => (isReady ? use() : within(START_MS, known).then(use))
  return {
    ...db,
    read: run => gate(() => db.read(run)),
    write: (run, options) => gate(() => db.write(run, options)),
    transaction: (run, options) => gate(() => db.transaction(run, options)),
    health: async () => (isReady ? await db.health() : 'unreachable'),
  }
}
