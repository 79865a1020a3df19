import { afterAll, beforeAll, expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import { createClient } from '../../server/db/client.ts'
import { connect, type Database } from '../../server/db/database.ts'
import { migrate } from '../../server/db/migrate.ts'
import { readCursor } from '../../server/defects/cursor.ts'
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

test('midnight loses nothing: the pages that follow begin on the day that since meant on the first', async () => {
  const { project } = await findOrCreateProject(db, 'Midnight')
  const at = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000)
  await fileDefects(db, 4, i => ({ projectId: project.id, sectionId: 'midnight', createdAt: at(i) }))
  const request = { section: 'midnight', since: '3d', limit: 1 }
  const first = await readFeed(db, request)
  const before = readCursor(first.next!)!
  expect(before.from).toBe(at(2).toISOString().slice(0, 10))
  const rest = await readFeed(db, { ...request, limit: 9, before })
  expect(rest.entries).toHaveLength(2)
  // As it would be asked a day later.
  const later = await readFeed(db, { ...request, since: '2d', limit: 9, before })
  expect(later.entries).toEqual(rest.entries)
  const { entries, next } = await readFeed(db, { ...request, since: '2d', before })
  expect([entries.length, readCursor(next!)?.from]).toEqual([1, before.from])
})
