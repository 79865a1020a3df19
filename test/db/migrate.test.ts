import { afterAll, beforeAll, expect, test } from 'bun:test'
import postgres from 'postgres'
import { DatabaseUnsuitable, migrate, SchemaTooNew } from '../../server/db/migrate.ts'
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

test('a schema newer than this version is refused and left as it is', async () => {
  const target = { kind: 'postgres', url: database.url } as const
  await migrate(target)
  await admin`insert into drizzle.__drizzle_migrations (hash, created_at) values ('from the future', 9999999999999)`
  const journal = await admin`select * from drizzle.__drizzle_migrations`
  expect(await rejection(migrate(target))).toBeInstanceOf(SchemaTooNew)
  expect(await admin`select * from drizzle.__drizzle_migrations`).toEqual(journal)
})
