import { readFileSync } from 'node:fs'
import { sql } from 'drizzle-orm'
import { migrate as runMigrations } from 'drizzle-orm/postgres-js/migrator'
import { assets } from '../assets.ts'
import { createClient, type Queries, type Target } from './client.ts'
import { within } from './deadline.ts'
import { sqlState, translate } from './faults.ts'

/** The database was migrated by a newer Faultline; this one must not touch it. */
export class SchemaTooNew extends Error {
  constructor() {
    super('the database belongs to a newer version of Faultline: start that version, or restore a backup')
  }
}

/** The database waits for a migration that a command which only reads must not run. */
export class SchemaTooOld extends Error {
  constructor() {
    super('the database needs migrating: run `faultline migrate`')
  }
}

/** The database can be reached and will never do. */
export class DatabaseUnsuitable extends Error {}

interface Journal {
  entries: { tag: string; when: number }[]
}

const MIGRATION_LOCK = 7_361_206
const CONNECT_DEADLINE_MS = 5_000
const LONG_MS = 10 * 60_000

/** Applies what is pending, under one lock: any number of instances may start at once. */
export function migrate(target: Target): Promise<string[]> {
  return withOwnConnection(target, async queries => {
    if (target.kind === 'postgres') {
      await within(LONG_MS, queries.execute(sql`select pg_advisory_lock(${MIGRATION_LOCK})`))
    }
    const pending = await pendingOf(queries)
    if (pending.length) await runMigrations(queries, { migrationsFolder: assets.migrations })
    return pending
  })
}

export function pendingMigrations(target: Target): Promise<string[]> {
  return withOwnConnection(target, pendingOf)
}

/** On one connection of its own; the lock goes when it closes. */
async function withOwnConnection<T>(target: Target, run: (queries: Queries) => Promise<T>): Promise<T> {
  const client = createClient(target, { max: 1, unlimited: true })
  try {
    await within(CONNECT_DEADLINE_MS, checkServer(client.queries))
    return await run(client.queries)
  } catch (error) {
    throw asUnsuitable(error) ?? translate(error)
  } finally {
    await client.end(1).catch(() => {})
  }
}

async function checkServer(queries: Queries) {
  const [server] = await queries.execute<{ version: number; encoding: string; replication: string }>(
    sql`select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding,
      current_setting('session_replication_role') as replication`,
  )
  if (!server || server.version < 150_000) throw new DatabaseUnsuitable('PostgreSQL 15 or newer is needed')
  if (server.encoding !== 'UTF8') {
    throw new DatabaseUnsuitable(
      `the database is encoded in ${server.encoding}: create it with encoding 'UTF8' (template0)`,
    )
  }
  if (server.replication !== 'origin') {
    throw new DatabaseUnsuitable(
      `session_replication_role is '${server.replication}', which keeps defects from being counted: set it to 'origin' for this database and user`,
    )
  }
}

/** Waiting would not mend these. */
function asUnsuitable(error: unknown): DatabaseUnsuitable | undefined {
  const state = sqlState(error) ?? ''
  if (/^28/.test(state))
    return new DatabaseUnsuitable('the database refuses the user or password of DATABASE_URL')
  if (state === '3D000') return new DatabaseUnsuitable('the database that DATABASE_URL names does not exist')
  if (state === '42501') return new DatabaseUnsuitable('the user of DATABASE_URL may not create tables there')
  return undefined
}

async function pendingOf(queries: Queries): Promise<string[]> {
  const known = journal()
  const newest = known.at(-1)?.when ?? 0
  const applied = await lastApplied(queries)
  if (applied > newest) throw new SchemaTooNew()
  return known.filter(entry => entry.when > applied).map(entry => entry.tag)
}

async function lastApplied(queries: Queries): Promise<number> {
  const [table] = await queries.execute<{ there: boolean }>(
    sql`select to_regclass('drizzle.__drizzle_migrations') is not null as there`,
  )
  if (!table?.there) return 0
  const [last] = await queries.execute<{ applied: string | null }>(
    sql`select max(created_at)::text as applied from drizzle.__drizzle_migrations`,
  )
  return Number(last?.applied ?? 0)
}

function journal(): Journal['entries'] {
  return (JSON.parse(readFileSync(`${assets.migrations}/meta/_journal.json`, 'utf8')) as Journal).entries
}
