import { sql } from 'drizzle-orm'
import type { Board } from '../board/board.ts'
import type { Database, Queries } from '../db/database.ts'
import { defects, sectionDays, sectionTotals } from '../db/schema.ts'
import type { Counts } from './model.ts'
import { type Narrowing, narrowingParameters } from './narrowing.ts'
import { firstDay, perClient } from './statements.ts'

export type CountsNarrowing = Pick<Narrowing, 'since'>

/** Every section of the board, and retired ones that still have defects. */
export async function sectionCounts(
  db: Database,
  board: Board,
  narrowing: CountsNarrowing = {},
): Promise<Counts> {
  const rows = await db.read(queries => countsQuery(queries, narrowing))
  const counts: Counts = {}
  for (const id of board.sections.keys()) counts[id] = 0
  for (const { sectionId, count } of rows) counts[sectionId] = count
  return counts
}

function countsQuery(queries: Queries, narrowing: CountsNarrowing) {
  const { total, since } = countsQueries(queries)
  return narrowing.since === undefined ? total.execute() : since.execute(narrowingParameters(narrowing))
}

export const countsQueries = perClient(queries => {
  const sum = (column: typeof sectionTotals.count | typeof sectionDays.count) =>
    sql<number>`sum(${column})::float8`.mapWith(Number)
  return {
    total: queries
      .select({ sectionId: sectionTotals.sectionId, count: sum(sectionTotals.count) })
      .from(sectionTotals)
      .groupBy(sectionTotals.sectionId)
      .orderBy(sectionTotals.sectionId)
      .prepare('counts'),
    since: queries
      .select({ sectionId: sectionDays.sectionId, count: sum(sectionDays.count) })
      .from(sectionDays)
      .where(sql`${sectionDays.day} >= ${firstDay(sql.placeholder('since'))}`)
      .groupBy(sectionDays.sectionId)
      .orderBy(sectionDays.sectionId)
      .prepare('counts_since'),
  }
})

/** What was kept of a section, on a day (UTC) or in all, beside what there is. */
export interface Miscount {
  section_id: string
  day: string | null
  kept: number
  counted: number
}

const LONGEST_MS = 60 * 60_000

/** Counts anew from the defects themselves, while nobody files; tells what differed. */
export async function rebuildCounts(db: Database): Promise<Miscount[]> {
  return db.transaction(
    async queries => {
      await queries.execute(sql`set local statement_timeout = 0`)
      await queries.execute(sql`lock table ${defects} in share mode`)
      const differing = await queries.execute<Record<keyof Miscount, never>>(MISCOUNTS)
      await queries.delete(sectionTotals)
      await queries.delete(sectionDays)
      await queries.execute(sql`insert into ${sectionTotals} (section_id, slot, count)
        select section_id, 0, count(*) from ${defects} group by 1, 2`)
      await queries.execute(sql`insert into ${sectionDays} (day, section_id, slot, count)
        select (created_at at time zone 'UTC')::date, section_id, 0, count(*) from ${defects} group by 1, 2, 3`)
      return [...differing]
    },
    { deadlineMs: LONGEST_MS },
  )
}

const MISCOUNTS = sql`with kept as (
  select section_id, '' as day, sum(count) as sum from ${sectionTotals} group by 1
  union all select section_id, day::text, sum(count) from ${sectionDays} group by 1, 2
), counted as (
  select section_id, '' as day, count(*) as sum from ${defects} group by 1
  union all select section_id, ((created_at at time zone 'UTC')::date)::text, count(*) from ${defects} group by 1, 2
)
select section_id, nullif(day, '') as day,
  coalesce(kept.sum, 0)::float8 as kept, coalesce(counted.sum, 0)::float8 as counted
from kept full join counted using (section_id, day)
where coalesce(kept.sum, 0) <> coalesce(counted.sum, 0) order by 1, 2 nulls first`
