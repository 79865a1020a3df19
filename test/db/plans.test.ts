import { afterAll, beforeAll, expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import { createClient } from '../../server/db/client.ts'
import { connect, type Database } from '../../server/db/database.ts'
import { migrate } from '../../server/db/migrate.ts'
import { countsQuery } from '../../server/defects/counts.ts'
import { type FeedRequest, feedParameters, feedQuery, readFeed } from '../../server/defects/feed.ts'
import { seed } from '../bench/seed.ts'
import { type Plan, plansOf } from '../support/plan.ts'
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

function expectByIndex(plan: Plan[], index: string) {
  expect(plan.map(node => node['Index Name'])).toContain(index)
  expect(
    plan.filter(node => node['Relation Name'] === 'defects' && node['Node Type'] === 'Seq Scan'),
  ).toEqual([])
  expect(plan.filter(node => node['Node Type'].includes('Sort'))).toEqual([])
}

const before = { createdAt: new Date(), id: Bun.randomUUIDv7() }
const requests: [name: string, request: Omit<FeedRequest, 'limit'>, index: string][] = [
  ['the feed', {}, 'defects_feed'],
  ['a later page', { before }, 'defects_feed'],
  ['the feed of a quiet section', { section: 'audio-jack' }, 'defects_section_feed'],
  ['a later page of a quiet section', { section: 'audio-jack', before }, 'defects_section_feed'],
  ['the feed of an unknown project', { project: Bun.randomUUIDv7() }, 'defects_project_feed'],
]

test.each(requests)(`at ${rows} rows %s is read by its index, with no sort`, async (_, narrowing, index) => {
  const request = { ...narrowing, limit: 50 }
  const plans = await db.read(queries =>
    plansOf(queries, feedQuery(queries, request), feedParameters(request)),
  )
  for (const plan of plans) expectByIndex(plan, index)
})

test(`at ${rows} rows a rare word is found by its index, and one that many have among the newest`, async () => {
  const request = { q: '12345', limit: 50 }
  const indexes = async (newest?: number) => {
    const [plan = []] = await db.read(queries =>
      plansOf(queries, feedQuery(queries, request, newest), feedParameters(request)),
    )
    return plan.map(node => node['Index Name'])
  }
  expect(await indexes()).toContain('defects_words')
  const amongNewest = await indexes(500)
  expect(amongNewest).toContain('defects_feed')
  expect(amongNewest).not.toContain('defects_words')
})

test(`at ${rows} rows counts do not look at the defects at all`, async () => {
  const plans = await db.read(async queries => {
    const project = crypto.randomUUID()
    const plans = []
    for (const by of ['section', 'project'] as const) {
      for (const narrowing of [{}, { since: '7d' }, { project }, { project, since: '7d' }]) {
        const query = countsQuery(queries, by, narrowing)
        plans.push(...(await plansOf(queries, query, { project, since: 7 })))
      }
    }
    return plans
  })
  for (const plan of plans) expect(plan.filter(node => node['Relation Name'] === 'defects')).toEqual([])
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
