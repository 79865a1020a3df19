import { afterAll, beforeAll, expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import { createClient } from '../../server/db/client.ts'
import { connect, type Database } from '../../server/db/database.ts'
import { migrate } from '../../server/db/migrate.ts'
import { readFeed } from '../../server/defects/feed.ts'
import { findOrCreateProject } from '../../server/projects/service.ts'
import { fileDefects } from '../support/defects.ts'
import { freshDatabase } from '../support/postgres.ts'

let db: Database
let database: Awaited<ReturnType<typeof freshDatabase>>
beforeAll(async () => {
  database = await freshDatabase()
  const target = { kind: 'postgres', url: database.url } as const
  await migrate(target)
  db = connect(target)
})
afterAll(async () => {
  await db.close()
  await database.drop()
})

test('a feed without defects is empty, and has no next page', async () => {
  expect(await readFeed(db, { limit: 50 })).toEqual({ entries: [] })
})

test('created_at has three decimals and is UTC, also where PostgreSQL leaves zeros out or lives elsewhere', async () => {
  const { project } = await findOrCreateProject(db, 'Times')
  const times = [
    '2026-03-01T12:00:00.123Z',
    '2026-03-01T12:00:00.120Z',
    '2026-03-01T12:00:00.100Z',
    '2026-03-01T12:00:00.000Z',
    '2026-01-01T00:00:00.000Z',
    '1999-12-31T23:59:59.999Z',
  ]
  const client = createClient({ kind: 'postgres', url: database.url }, { max: 1 })
  const { queries } = client
  await queries.execute(sql`set timezone to 'Asia/Kathmandu'`)
  await fileDefects({ write: run => run(queries) }, times.length, i => ({
    projectId: project.id,
    createdAt: new Date(times[i]!),
  }))
  const { entries } = await readFeed({ ...db, read: run => run(queries) }, { limit: 50 })
  expect(entries.map(entry => entry.created_at)).toEqual(times)
  await client.end(1)
})
