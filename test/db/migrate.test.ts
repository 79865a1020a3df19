import { afterAll, beforeAll, expect, test } from 'bun:test'
import { sql as sqlText } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import { connect } from '../../server/db/database.ts'
import { DatabaseUnsuitable, migrate, pendingMigrations, SchemaTooNew } from '../../server/db/migrate.ts'
import { rebuildCounts } from '../../server/defects/recount.ts'
import { contents } from '../support/contents.ts'
import { insertDefect } from '../support/defects.ts'
import { olderDatabase } from '../support/older.ts'
import { freshDatabase } from '../support/postgres.ts'

let database: Awaited<ReturnType<typeof freshDatabase>>
let admin: postgres.Sql
beforeAll(async () => {
  database = await freshDatabase()
  admin = postgres(database.url, { max: 1, onnotice() {} })
})
afterAll(async () => {
  await admin.end()
  await database.drop()
})

const rejection = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    error => error,
  )

test('a database that is not in UTF-8 is refused with the mend', async () => {
  const name = `latin_${process.pid}`
  await admin.unsafe(
    `create database ${name} template template0 encoding 'SQL_ASCII' lc_collate 'C' lc_ctype 'C'`,
  )
  const fault = await rejection(migrate({ kind: 'postgres', url: database.url.replace(/[^/]+$/, name) }))
  await admin.unsafe(`drop database ${name} with (force)`)
  expect(fault).toBeInstanceOf(DatabaseUnsuitable)
  expect(fault.message).toContain(`create it with encoding 'UTF8'`)
})

test('a database of 0.1.0 is brought to this version with all that it holds', async () => {
  const older = await olderDatabase('0.1.0')
  const sql = postgres(older.url, { max: 1, onnotice() {} })
  const [project, defect] = [Bun.randomUUIDv7(), Bun.randomUUIDv7()]
  await sql`insert into projects (id, name) values (${project}, 'Hinge rework')`
  const filed = { id: defect, projectId: project, verbatim: 'filed with 0.1.0', idempotencyKey: 'key' }
  await drizzle(sql).execute(insertDefect(filed))
  await sql.end()

  const target = { kind: 'postgres', url: older.url } as const
  await migrate(target)
  expect(await pendingMigrations(target)).toEqual([])
  const db = connect(target)
  const { defects, projects, totals } = await contents(db)
  expect(projects).toMatchObject([{ id: project, name: 'Hinge rework' }])
  expect(defects).toMatchObject([{ id: defect, verbatim: 'filed with 0.1.0', idempotencyKey: 'key' }])
  expect(totals).toEqual({ 'usb-port': 1 })
  await db.close()
  await older.drop()
})

test('what is filed while a migration counts by project is counted once', async () => {
  const older = await olderDatabase('0.1.0')
  const sql = postgres(older.url, { max: 4, onnotice() {} })
  const queries = drizzle(sql)
  const ids = [Bun.randomUUIDv7(), Bun.randomUUIDv7()] as const
  for (const id of ids) await sql`insert into projects (id, name) values (${id}, ${id})`
  const createdAt = sqlText`now() - n % 40 * interval '1 day' + n % 7 * interval '1 hour'`
  await queries.execute(
    insertDefect(
      { projectId: ids[0], sectionId: 'cpu', createdAt },
      sqlText`from generate_series(1, 4000) as n`,
    ),
  )

  let filing = true
  let filed = 4000
  const file = async (projectId: string) => {
    for (; filing; filed++) await queries.execute(insertDefect({ projectId }))
  }
  const writers = [file(ids[0]), file(ids[1])]
  const target = { kind: 'postgres', url: older.url } as const
  await migrate(target)
  filing = false
  await Promise.all(writers)
  await sql.end()
  const db = connect(target)
  const { projectTotals, projectDays } = await contents(db)
  for (const kept of [projectTotals, projectDays])
    expect(Object.values(kept).reduce((sum, count) => sum + count, 0)).toBe(filed)
  expect(await rebuildCounts(db)).toEqual([])
  await db.close()
  await older.drop()
})

test('a schema newer than this version is refused and left as it is', async () => {
  const target = { kind: 'postgres', url: database.url } as const
  await migrate(target)
  await admin`insert into drizzle.__drizzle_migrations (hash, created_at) values ('from the future', 9999999999999)`
  const journal = await admin`select * from drizzle.__drizzle_migrations`
  expect(await rejection(migrate(target))).toBeInstanceOf(SchemaTooNew)
  expect(await admin`select * from drizzle.__drizzle_migrations`).toEqual(journal)
})
