import { readFileSync } from 'node:fs'
import { sql } from 'drizzle-orm'
import { type MigrationMeta, readMigrationFiles } from 'drizzle-orm/migrator'
import { assets } from '../assets.ts'
import { DatabaseUnavailable } from '../errors.ts'
import { createClient, type Queries, type Target } from './client.ts'
import { within } from './deadline.ts'
import { innermost, sqlState, translate } from './faults.ts'
import { missingSettings } from './pooler.ts'

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
export class DatabaseUnsuitable extends Error {
  constructor(
    readonly said: string,
    readonly fix: string,
  ) {
    super(`${said}: ${fix}`)
  }
}

const MIGRATION_LOCK = 7_361_206
const CONNECT_DEADLINE_MS = 5_000
const LONG_MS = 10 * 60_000
/** What waits for a lock holds up every request behind it: so long at most, and then the others come first. */
const LOCK_WAIT_MS = 500
const PAUSE_MS = 1_000
const POLL_MS = 100

export interface Migration extends MigrationMeta {
  name: string
}

/** Applies what is pending, each migration by itself and one at a time: any number of instances may start at once. */
export function migrate(target: Target, known = readMigrations()): Promise<string[]> {
  return withOwnConnections(target, async queries => {
    const applied: string[] = []
    const deadline = performance.now() + LONG_MS
    for (;;) {
      if (!(await pendingOf(queries, known)).length) return applied
      const outcome = await applyNext(queries, target.kind, known).catch(laterOrNever)
      if (outcome.applied) applied.push(outcome.applied)
      else if (performance.now() > deadline) throw new DatabaseUnavailable('a lock was not to be had')
      else await Bun.sleep(outcome.waitMs)
    }
  })
}

export async function pendingMigrations(target: Target): Promise<string[]> {
  const pending = await withOwnConnections(target, queries => pendingOf(queries, readMigrations()))
  return pending.map(({ name }) => name)
}

type Outcome = { applied?: string; waitMs: number }

/** The lock is asked for, not waited for, so that whoever waits keeps no connection of a small pool. */
function applyNext(queries: Queries, kind: Target['kind'], known: Migration[]): Promise<Outcome> {
  return queries.transaction(async tx => {
    await tx.execute(sql`select set_config('lock_timeout', ${`${LOCK_WAIT_MS}ms`}, true),
      set_config('statement_timeout', '0', true), set_config('idle_in_transaction_session_timeout', '0', true)`)
    const [lock] = await tx.execute<{ mine: boolean }>(
      sql`select pg_try_advisory_xact_lock(${MIGRATION_LOCK}) as mine`,
    )
    if (!lock?.mine) return { waitMs: POLL_MS }
    const [next] = await pendingOf(tx as unknown as Queries, known)
    if (!next) return { waitMs: 0 }
    const outside = kind === 'postgres' && next.sql.some(isConcurrent)
    for (const statement of next.sql) {
      if (outside) await runOutside(queries, statement)
      else await tx.execute(sql.raw(kind === 'postgres' ? statement : statement.replace(CONCURRENTLY, '')))
    }
    await tx.execute(sql`create schema if not exists drizzle`)
    await tx.execute(sql`create table if not exists drizzle.__drizzle_migrations
      (id serial primary key, hash text not null, created_at bigint)`)
    await tx.execute(sql`insert into drizzle.__drizzle_migrations (hash, created_at)
      values (${next.hash}, ${next.folderMillis})`)
    return { applied: next.name, waitMs: 0 }
  })
}

/** Others come first for a while; what else fails will fail again. */
function laterOrNever(error: unknown): Outcome {
  if (!['55P03', '40P01'].includes(sqlState(error) ?? '')) throw error
  return { waitMs: PAUSE_MS }
}

const CONCURRENTLY = /(?<=\bindex\s+)concurrently\s+/i
const isConcurrent = (statement: string) => CONCURRENTLY.test(statement)

/** On a connection of its own, as no transaction may be around it. An index that somebody left half built is built anew. */
async function runOutside(queries: Queries, statement: string): Promise<void> {
  const [, name] =
    /create\s+(?:unique\s+)?index\s+concurrently\s+if\s+not\s+exists\s+"?(\w+)/i.exec(statement) ?? []
  if (name && (await isHalfBuilt(queries, name))) {
    await queries.execute(sql`drop index concurrently if exists ${sql.identifier(name)}`)
  }
  await queries.execute(sql.raw(statement))
}

async function isHalfBuilt(queries: Queries, name: string): Promise<boolean> {
  const found = await queries.execute(
    sql`select from pg_index where indexrelid = to_regclass(quote_ident(${name})) and not indisvalid`,
  )
  return found.length > 0
}

/** One for the transaction that holds the lock, one for what has to run outside of it. */
async function withOwnConnections<T>(target: Target, run: (queries: Queries) => Promise<T>): Promise<T> {
  const client = createClient(target, { max: 2, unlimited: true })
  try {
    await within(CONNECT_DEADLINE_MS, checkServer(client.queries, target))
    return await run(client.queries)
  } catch (error) {
    throw asUnsuitable(error) ?? translate(error)
  } finally {
    await client.end(1).catch(() => {})
  }
}

async function checkServer(queries: Queries, target: Target) {
  const [server] = await queries.execute<{ version: number; encoding: string; replication: string }>(
    sql`select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding,
      current_setting('session_replication_role') as replication`,
  )
  if (!server || server.version < 150_000) {
    throw new DatabaseUnsuitable(
      'PostgreSQL 15 or newer is needed',
      'upgrade it, or name another in DATABASE_URL',
    )
  }
  if (server.encoding !== 'UTF8') {
    throw new DatabaseUnsuitable(
      `the database is encoded in ${server.encoding}`,
      "create it with encoding 'UTF8' (template0)",
    )
  }
  if (server.replication !== 'origin') {
    throw new DatabaseUnsuitable(
      `session_replication_role is '${server.replication}', which keeps defects from being counted`,
      "set it to 'origin' for this database and user",
    )
  }
  const missing = target.kind === 'postgres' && target.pooled ? await missingSettings(queries) : []
  if (missing.length) {
    const mend = 'run this once in PostgreSQL, then RECONNECT in the pooler'
    throw new DatabaseUnsuitable(
      'behind a pooler the role has to bring its settings',
      `${mend}: ${missing.join('; ')}`,
    )
  }
}

/** Waiting would not mend these. */
function asUnsuitable(error: unknown): DatabaseUnsuitable | undefined {
  const state = sqlState(error) ?? ''
  if (/^28/.test(state))
    return new DatabaseUnsuitable('the database refuses the user or password of DATABASE_URL', 'correct it')
  if (state === '3D000')
    return new DatabaseUnsuitable(
      'the database that DATABASE_URL names does not exist',
      "create it with encoding 'UTF8', or correct the name",
    )
  if (state === '08P01' && /startup parameter/.test(innermost(error).message))
    return new DatabaseUnsuitable(
      'what answers at DATABASE_URL takes no settings with a connection, as poolers do',
      'set DATABASE_POOLER=transaction',
    )
  if (state === '42501')
    return new DatabaseUnsuitable(
      `the user of DATABASE_URL lacks a right (${innermost(error).message})`,
      '`faultline doctor` says which ones to grant',
    )
  return undefined
}

async function pendingOf(queries: Queries, known: Migration[]): Promise<Migration[]> {
  const applied = await lastApplied(queries)
  if (applied > (known.at(-1)?.folderMillis ?? 0)) throw new SchemaTooNew()
  return known.filter(({ folderMillis }) => folderMillis > applied)
}

async function lastApplied(queries: Queries): Promise<number> {
  // Not by to_regclass: a transaction under way may remember that the table was not there.
  const tables = await queries.execute(sql`select from pg_class join pg_namespace n on n.oid = relnamespace
    where nspname = 'drizzle' and relname = '__drizzle_migrations'`)
  if (!tables.length) return 0
  const [last] = await queries.execute<{ applied: string | null }>(
    sql`select max(created_at)::text as applied from drizzle.__drizzle_migrations`,
  )
  return Number(last?.applied ?? 0)
}

/** As drizzle-kit writes them, and as its own runner would read them. */
export function readMigrations(): Migration[] {
  const { entries } = JSON.parse(readFileSync(`${assets.migrations}/meta/_journal.json`, 'utf8')) as Journal
  const files = readMigrationFiles({ migrationsFolder: assets.migrations })
  return files.map((file, index) => ({ ...file, name: entries[index]!.tag }))
}

interface Journal {
  entries: { tag: string }[]
}
