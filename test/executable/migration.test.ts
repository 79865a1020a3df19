import { expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import { type TestApp, testApp } from '../support/app.ts'
import { freshDatabase } from '../support/postgres.ts'

const rounds = process.env.FAULTLINE_LONG ? 50 : 10

test(`three servers started at once on an empty PostgreSQL all become healthy, with one journal, ${rounds} times`, async () => {
  for (let round = 0; round < rounds; round++) {
    const database = await freshDatabase()
    const env = { DATABASE_URL: database.url }
    const apps: TestApp[] = await Promise.all(
      Array.from({ length: 3 }, () => testApp({ database: 'embedded', env })),
    )
    for (const app of apps) expect((await app.anonymous('/api/health')).status).toBe(200)
    const journal = await apps[0]!.db.read(queries =>
      queries.execute<{ hash: string }>(sql`select hash from drizzle.__drizzle_migrations`),
    )
    expect(new Set(journal.map(row => row.hash)).size).toBe(journal.length)
    await Promise.all(apps.map(app => app.stop()))
    await database.drop()
  }
}, 240_000)

test('a database that is not in UTF-8 is refused with the mend', async () => {
  const { migrate, DatabaseUnsuitable } = await import('../../server/db/migrate.ts')
  const admin = await freshDatabase()
  const { default: postgres } = await import('postgres')
  const connection = postgres(admin.url, { max: 1 })
  const name = `latin_${process.pid}`
  await connection.unsafe(
    `create database ${name} template template0 encoding 'SQL_ASCII' lc_collate 'C' lc_ctype 'C'`,
  )
  const target = { kind: 'postgres', url: admin.url.replace(/[^/]+$/, name) } as const
  expect(migrate(target)).rejects.toThrow(DatabaseUnsuitable)
  await migrate(target).catch(() => {})
  await connection.unsafe(`drop database ${name} with (force)`)
  await connection.end()
  await admin.drop()
})

test('a schema newer than the executable is refused and left as it is', async () => {
  const { migrate, SchemaTooNew } = await import('../../server/db/migrate.ts')
  const database = await freshDatabase()
  const target = { kind: 'postgres', url: database.url } as const
  await migrate(target)
  const { default: postgres } = await import('postgres')
  const connection = postgres(database.url, { max: 1 })
  await connection`insert into drizzle.__drizzle_migrations (hash, created_at) values ('from the future', 9999999999999)`
  await connection.end()
  expect(migrate(target)).rejects.toThrow(SchemaTooNew)
  await migrate(target).catch(() => {})
  await database.drop()
})
