import { afterAll, beforeAll, expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import { createClient } from '../../server/db/client.ts'
import { connect, type Database, type Queries } from '../../server/db/database.ts'
import { migrate } from '../../server/db/migrate.ts'
import { countsQueries } from '../../server/defects/counts.ts'
import { type FeedRequest, feedQuery, readFeed } from '../../server/defects/feed.ts'
import { seed } from '../bench/seed.ts'
import { type PlanNode, planOf } from '../support/plan.ts'
import { freshDatabase } from '../support/postgres.ts'

const rows = process.env.FAULTLINE_LONG ? 1_000_000 : 30_000

let db: Database
let database: Awaited<ReturnType<typeof freshDatabase>>
beforeAll(async () => {
  database = await freshDatabase()
  const target = { kind: 'postgres', url: database.url } as const
  await migrate(target)
  db = connect(target)
  await seed(db, rows)
}, 600_000)
afterAll(async () => {
  await db.close()
  await database.drop()
})

function expectByIndex(plan: PlanNode[], index: string) {
  expect(plan.map(node => node['Index Name'])).toContain(index)
  expect(
    plan.filter(node => node['Relation Name'] === 'defects' && node['Node Type'] === 'Seq Scan'),
  ).toEqual([])
  expect(plan.filter(node => node['Node Type'].includes('Sort'))).toEqual([])
}

const position = { createdAt: new Date(), id: Bun.randomUUIDv7() }

const after = [position.createdAt.toISOString(), position.id]

test(`at ${rows} rows the feed is read by its index, with no sort`, async () => {
  const feed = (request: FeedRequest) => (queries: Queries) => feedQuery(queries, request)
  expectByIndex(await planOf(db, feed({ limit: 50 })), 'defects_feed')
  expectByIndex(await planOf(db, feed({ limit: 50, before: position }), after), 'defects_feed')
})

test(`at ${rows} rows the feed of a quiet section is read by the section's index, with no sort`, async () => {
  const section = 'audio-jack'
  const feed = (request: FeedRequest) => (queries: Queries) => feedQuery(queries, { ...request, section })
  expectByIndex(await planOf(db, feed({ limit: 50 }), [section]), 'defects_section_feed')
  const later = feed({ limit: 50, before: position })
  expectByIndex(await planOf(db, later, [section, ...after]), 'defects_section_feed')
})

test(`at ${rows} rows counts do not look at the defects at all`, async () => {
  const total = await planOf(db, queries => countsQueries(queries).total)
  const since = await planOf(db, queries => countsQueries(queries).since, ['7'])
  for (const plan of [total, since]) {
    expect(plan.filter(node => node['Relation Name'] === 'defects')).toEqual([])
  }
})

test('however many limits are asked for, few statements stay prepared', async () => {
  const client = createClient({ kind: 'postgres', url: database.url }, { max: 1 })
  const { queries } = client
  const here: Database = { ...db, read: run => run(queries) }
  for (let limit = 1; limit <= 200; limit++) {
    expect((await readFeed(here, { limit })).entries).toHaveLength(limit)
  }
  const [row] = await queries.execute<{ n: number }>(
    sql`select count(*)::int as n from pg_prepared_statements`,
  )
  expect(row?.n).toBeWithin(1, 8)
  await client.end(1)
})
