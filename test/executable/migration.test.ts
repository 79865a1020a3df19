import { expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import { type TestApp, testApp } from '../support/app.ts'
import { healthy } from '../support/health.ts'
import { freshDatabase } from '../support/postgres.ts'

const rounds = process.env.FAULTLINE_LONG ? 50 : 3

test(`three servers started at once on an empty PostgreSQL all become healthy, with one journal, ${rounds} times`, async () => {
  for (let round = 0; round < rounds; round++) {
    const database = await freshDatabase()
    const env = { DATABASE_URL: database.url }
    const apps: TestApp[] = await Promise.all(
      Array.from({ length: 3 }, () => testApp({ database: 'embedded', env })),
    )
    for (const app of apps) await healthy(app.origin)
    const journal = await apps[0]!.db.read(queries =>
      queries.execute<{ hash: string }>(sql`select hash from drizzle.__drizzle_migrations`),
    )
    expect(new Set(journal.map(row => row.hash)).size).toBe(journal.length)
    await Promise.all(apps.map(app => app.stop()))
    await database.drop()
  }
}, 240_000)
