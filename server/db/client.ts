import { drizzle } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import { DatabaseUnavailable } from '../errors.ts'
import type { Queries } from './database.ts'
import * as schema from './schema.ts'

/** Where a database answers: a PostgreSQL by its URL, or the embedded one by its socket. */
export type Target = { kind: 'postgres'; url: string } | { kind: 'embedded'; socketPath: string }

export const STATEMENT_DEADLINE_MS = 5_000

export interface Client {
  queries: Queries
  end(seconds: number): Promise<void>
}

export function createClient(
  target: Target,
  options: { max?: number; statementTimeoutMs?: number } = {},
): Client {
  const shared: postgres.Options<Record<string, never>> = {
    max: options.max ?? 10,
    connect_timeout: 4,
    backoff: () => 0.2,
    fetch_types: false,
    onnotice: () => {},
  }
  const sql =
    target.kind === 'embedded'
      ? postgres({ ...shared, path: target.socketPath, user: 'postgres', database: 'postgres', pass: '' })
      : postgres(target.url, { ...shared, connection: sessionSettings(options.statementTimeoutMs) })
  return {
    queries: drizzle(trusted(sql), { schema }) as unknown as Queries,
    end: seconds => sql.end({ timeout: seconds }),
  }
}

function sessionSettings(statementTimeoutMs = STATEMENT_DEADLINE_MS - 500) {
  return {
    application_name: 'faultline',
    statement_timeout: statementTimeoutMs,
    lock_timeout: Math.min(statementTimeoutMs, 4_000),
    idle_in_transaction_session_timeout: 10_000,
    TimeZone: 'UTC',
  }
}

/** Without `simple: false` a statement that has no parameters goes out as text, to be parsed and planned each time. */
const NAMED: object = { prepare: true, simple: false }

/**
 * After a killed connection postgres.js may deliver the next result with holes in front. Such rows
 * never reach a caller.
 */
function trusted(sql: postgres.Sql): postgres.Sql {
  const unsafe = (
    query: string,
    parameters?: postgres.ParameterOrJSON<never>[],
    options?: { prepare?: boolean },
  ) => {
    const named = options?.prepare === true
    const pending = sql.unsafe(query, parameters, named ? NAMED : {})
    return {
      // biome-ignore lint/suspicious/noThenProperty: drizzle awaits what it gets, or asks it for values()
      then: (done: (rows: unknown) => unknown, failed: (error: unknown) => unknown) =>
        whole(pending).then(done, failed),
      values: () => whole(pending.values()),
    }
  }
  return new Proxy(sql, {
    get(target, property) {
      if (property === 'unsafe') return unsafe
      if (property === 'begin' || property === 'savepoint') {
        return (run: (tx: postgres.Sql) => unknown) =>
          (target as unknown as Record<string, (run: unknown) => unknown>)[property]?.((tx: postgres.Sql) =>
            run(trusted(tx)),
          )
      }
      return Reflect.get(target, property)
    },
  })
}

async function whole<R extends { count: number | null }>(pending: PromiseLike<R>): Promise<R> {
  const result = await pending
  const rows = result as unknown as unknown[]
  // Some commands, EXPLAIN among them, return rows and count none.
  const complete = rows.length === 0 || result.count === null || rows.length === result.count
  if (!complete || rows[0] === null) throw new DatabaseUnavailable('a result arrived with holes')
  return result
}
