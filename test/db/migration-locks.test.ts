import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import postgres from 'postgres'
import { type Migration, migrate, readMigrations } from '../../server/db/migrate.ts'
import { freshDatabase } from '../support/postgres.ts'
import { until } from '../support/until.ts'

let database: Awaited<ReturnType<typeof freshDatabase>>
let admin: postgres.Sql
let target: { kind: 'postgres'; url: string }
const readers: { end(): Promise<void> }[] = []
beforeAll(async () => {
  database = await freshDatabase()
  admin = postgres(database.url, { max: 4, onnotice() {} })
  target = { kind: 'postgres', url: database.url }
  await migrate(target)
})
beforeEach(async () => {
  await admin`delete from drizzle.__drizzle_migrations where hash like 'next%'`
  await admin`drop index if exists defects_reporter`
})
afterEach(async () => {
  for (const reader of readers.splice(0)) await reader.end()
})
afterAll(async () => {
  await admin.end()
  await database.drop()
})

/** What this version knows, and more to come. */
function withNext(...statements: string[][]): Migration[] {
  const known = readMigrations()
  const last = known.at(-1)!.folderMillis
  const next = statements.map((sql, i) => ({
    sql,
    name: `next_${i}`,
    hash: `next${i}`,
    bps: true,
    folderMillis: last + 1 + i,
  }))
  return [...known, ...next]
}

const applied = async () =>
  (await admin`select hash from drizzle.__drizzle_migrations where hash like 'next%' order by id`).map(
    row => row.hash,
  )

/** A transaction that has read the defects and stays open, as a long backup does. */
async function longReader() {
  const sql = postgres(database.url, { max: 1, onnotice() {} })
  const begun = Promise.withResolvers<void>()
  const over = Promise.withResolvers<void>()
  const reading = sql.begin('isolation level repeatable read', async tx => {
    await tx`select count(*) from defects`
    begun.resolve()
    await over.promise
  })
  await begun.promise
  const reader = {
    async end() {
      over.resolve()
      await reading
      await sql.end()
    },
  }
  readers.push(reader)
  return reader
}

const isWaiting = async (statement: string) =>
  (
    await admin`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like ${`${statement}%`}`
  ).length > 0

test('a migration that a long reader holds up lets requests pass, and is done once the reader ends', async () => {
  const reader = await longReader()
  const migrating = migrate(target, withNext(['alter table defects add column if not exists colour text']))
  await until(() => isWaiting('alter table'), 'the migration waits')
  // Held up only while the migration waits for its lock, and that is short.
  for (let i = 0; i < 3; i++) {
    await until(() => isWaiting('alter table'), 'the migration waits again')
    await admin`select count(*) from defects`
  }
  expect(await applied()).toEqual([])
  await reader.end()
  expect(await migrating).toEqual(['next_0'])
  expect(await applied()).toEqual(['next0'])
})

test('what was applied stays when a later migration fails', async () => {
  const known = withNext(
    ['create table if not exists kept_one (n int)'],
    ['create table broken (n nonsense)'],
  )
  const error = await migrate(target, known).catch(fault => fault)
  expect(error.message).toContain('nonsense')
  expect(await applied()).toEqual(['next0'])
  expect(await migrate(target, withNext(['select 1 / 0'], ['select 1']))).toEqual(['next_1'])
})

test('an index is built while others write, also beside a long reader, and its lock is held meanwhile', async () => {
  const reader = await longReader()
  const building = migrate(target, withNext([INDEX]))
  await until(() => isWaiting('create index concurrently'), 'the index waits for the reader')
  await admin`insert into projects (id, name) values (${Bun.randomUUIDv7()}, 'Hinge rework')`
  const second = migrate(target, withNext([INDEX]))
  await reader.end()
  expect([...(await building), ...(await second)]).toEqual(['next_0'])
  expect(await isValid()).toBe(true)
})

test('an index whose building was killed is built anew', async () => {
  const reader = await longReader()
  const killed = migrate(target, withNext([INDEX])).catch(fault => fault)
  await until(() => isWaiting('create index concurrently'), 'the index waits for the reader')
  await admin`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and query like 'create index concurrently%'`
  expect(await killed).toBeInstanceOf(Error)
  await reader.end()
  expect(await isValid()).toBe(false)
  expect(await migrate(target, withNext([INDEX]))).toEqual(['next_0'])
  expect(await isValid()).toBe(true)
})

const INDEX = 'create index concurrently if not exists defects_reporter on defects (reporter)'

async function isValid() {
  const [index] =
    await admin`select indisvalid from pg_index where indexrelid = to_regclass('defects_reporter')`
  return index?.indisvalid
}
