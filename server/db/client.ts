import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import { parsePostgresUrl } from '../config/postgres-url.ts'
import { DatabaseUnavailable } from '../errors.ts'
import * as schema from './schema.ts'

/** Where a database answers: a PostgreSQL by its URL, or the embedded one by its socket. */
export type Target =
  | { kind: 'postgres'; url: string; pooled?: boolean; poolSize?: number }
  | { kind: 'embedded'; socketPath: string }

export type Queries = PostgresJsDatabase<typeof schema>

export const STATEMENT_DEADLINE_MS = 5_000
/** The longest that PostgreSQL knows; the driver leaves out a 0. */
const NO_LIMIT_MS = 2_147_483_647

export interface Client {
  queries: Queries
  end(seconds: number): Promise<void>
}

export interface ClientOptions {
  max?: number
  /** statements, and what they wait for, may take as long as they need */
  unlimited?: boolean
}

export function createClient(target: Target, options: ClientOptions = {}): Client {
  const pooled = target.kind === 'postgres' && target.pooled
  const poolSize = target.kind === 'postgres' ? target.poolSize : undefined
  const shared: postgres.Options<Record<string, never>> = {
    max: options.max ?? poolSize ?? 10,
    connect_timeout: 4,
    backoff: () => 0.2,
    fetch_types: false,
    // A name belongs to one of a pooler's connections. A commit that does not know its own is tried again by the
    // driver after the transaction was undone, and answered as if it were done.
    prepare: !pooled,
    onnotice: () => {},
  }
  const sql =
    target.kind === 'embedded'
      ? postgres({ ...shared, path: target.socketPath, user: 'postgres', database: 'postgres', pass: '' })
      : postgres(driverUrl(target.url), {
          ...shared,
          // Connections behind a pooler are not ours: `missingSettings` asks for what the role has to bring.
          connection: pooled
            ? { application_name: SESSION_SETTINGS.application_name }
            : { ...SESSION_SETTINGS, ...(options.unlimited ? noTimeLimits : timeLimits) },
        })
  return {
    queries: drizzle(withCheckedResults(sql), { schema }) as unknown as Queries,
    end: seconds => sql.end({ timeout: seconds }),
  }
}

/** Of several servers the one that takes writes, which is not what a URL that says nothing means. */
function driverUrl(text: string): string {
  const { url = text, hosts = [] } = parsePostgresUrl(text) ?? {}
  if (hosts.length < 2 || /[?&]target_session_attrs=/.test(url)) return url
  return `${url}${url.includes('?') ? '&' : '?'}target_session_attrs=read-write`
}

/**
 * What our statements and the driver rely on, whatever a role or a database sets. `client_encoding` is the driver's
 * own; `default_transaction_read_only` stays the operator's, and makes the database read-only for us too.
 */
export const SESSION_SETTINGS = {
  application_name: 'faultline',
  search_path: 'public',
  TimeZone: 'UTC',
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  bytea_output: 'hex',
  extra_float_digits: 1,
  standard_conforming_strings: 'on',
  row_security: 'on',
  default_transaction_isolation: 'read committed',
  idle_session_timeout: NO_LIMIT_MS,
} satisfies Partial<postgres.ConnectionParameters>

export const timeLimits = {
  statement_timeout: STATEMENT_DEADLINE_MS - 500,
  lock_timeout: 4_000,
  idle_in_transaction_session_timeout: 10_000,
}
const noTimeLimits = { ...timeLimits, statement_timeout: NO_LIMIT_MS, lock_timeout: NO_LIMIT_MS }

/** Without `simple: false` a statement that has no parameters goes out as text, to be parsed and planned each time. */
const PREPARED: object = { prepare: true, simple: false }

/**
 * After a killed connection postgres.js may deliver the next result with holes in front. Such rows
 * never reach a caller.
 */
function withCheckedResults(sql: postgres.Sql): postgres.Sql {
  const unsafe = (
    query: string,
    parameters?: postgres.ParameterOrJSON<never>[],
    options?: { prepare?: boolean },
  ) => {
    const pending = sql.unsafe(query, parameters, options?.prepare ? PREPARED : {})
    return {
      // biome-ignore lint/suspicious/noThenProperty: drizzle awaits what it gets, or asks it for values()
      then: (done: (rows: unknown) => unknown, failed: (error: unknown) => unknown) =>
        checked(pending).then(done, failed),
      values: () => checked(pending.values()),
    }
  }
  return new Proxy(sql, {
    get(target, property) {
      if (property === 'unsafe') return unsafe
      if (property === 'begin' || property === 'savepoint') {
        return (run: (tx: postgres.Sql) => unknown) =>
          (target as unknown as Record<string, (run: unknown) => unknown>)[property]?.((tx: postgres.Sql) =>
            run(withCheckedResults(tx)),
          )
      }
      return Reflect.get(target, property)
    },
  })
}

async function checked<R extends { count: number | null }>(pending: PromiseLike<R>): Promise<R> {
  const result = await pending
  const rows = result as unknown as unknown[]
  // Some commands, EXPLAIN among them, return rows and count none.
  const complete = rows.length === 0 || result.count === null || rows.length === result.count
  if (!complete || rows[0] === null) throw new DatabaseUnavailable('a result arrived with holes')
  return result
}
