import { afterAll, beforeAll, expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import { createClient } from '../../server/db/client.ts'
import { connect, type Database } from '../../server/db/database.ts'
import { migrate } from '../../server/db/migrate.ts'
import { countsQueries } from '../../server/defects/counts.ts'
import { feedQuery, readFeed } from '../../server/defects/feed.ts'
import { seed } from '../bench/seed.ts'
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

interface Plan {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  Plans?: Plan[]
}

/** The nodes of the plan that PostgreSQL makes for a statement of ours. */
async function planOf(text: string, values: (string | number)[]): Promise<Plan[]> {
  const filled = text.replace(/\$(\d+)/g, (_, n) => `'${values[Number(n) - 1]}'`)
  const [row] = await db.read(queries =>
    queries.execute<{ 'QUERY PLAN': [{ Plan: Plan }] }>(sql.raw(`explain (format json) ${filled}`)),
  )
  const flat = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(flat)]
  return flat(row!['QUERY PLAN'][0].Plan)
}

function expectByIndex(plan: Plan[], index: string) {
  expect(plan.map(node => node['Index Name'])).toContain(index)
  expect(
    plan.filter(node => node['Relation Name'] === 'defects' && node['Node Type'] === 'Seq Scan'),
  ).toEqual([])
  expect(plan.filter(node => node['Node Type'].includes('Sort'))).toEqual([])
}

const position = { createdAt: new Date(), id: Bun.randomUUIDv7() }

test(`at ${rows} rows the feed is read by its index, with no sort`, async () => {
  const first = await db.read(async queries => feedQuery(queries, { limit: 50 }).getQuery().sql)
  expectByIndex(await planOf(first, []), 'defects_feed')
  const later = await db.read(
    async queries => feedQuery(queries, { limit: 50, before: position }).getQuery().sql,
  )
  expectByIndex(await planOf(later, [position.createdAt.toISOString(), position.id]), 'defects_feed')
})

test(`at ${rows} rows the feed of a quiet section is read by the section's index, with no sort`, async () => {
  const request = { limit: 50, section: 'audio-jack' }
  const first = await db.read(async queries => feedQuery(queries, request).getQuery().sql)
  expectByIndex(await planOf(first, ['audio-jack']), 'defects_section_feed')
  const later = await db.read(
    async queries => feedQuery(queries, { ...request, before: position }).getQuery().sql,
  )
  const values = ['audio-jack', position.createdAt.toISOString(), position.id]
  expectByIndex(await planOf(later, values), 'defects_section_feed')
})

test(`at ${rows} rows counts do not look at the defects at all`, async () => {
  const { total, since } = await db.read(async queries => {
    const { total, since } = countsQueries(queries)
    return { total: total.getQuery().sql, since: since.getQuery().sql }
  })
  for (const plan of [await planOf(total, []), await planOf(since, [7])]) {
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
