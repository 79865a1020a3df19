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

/** Counts anew from the defects themselves, while nobody files. */
export async function rebuildCounts(db: Database): Promise<void> {
  await db.transaction(
    async queries => {
      await queries.execute(sql`lock table ${defects} in share mode`)
      await queries.delete(sectionTotals)
      await queries.delete(sectionDays)
      await queries.execute(sql`insert into ${sectionTotals} (section_id, slot, count)
        select section_id, 0, count(*) from ${defects} group by 1, 2`)
      await queries.execute(sql`insert into ${sectionDays} (day, section_id, slot, count)
        select (created_at at time zone 'UTC')::date, section_id, 0, count(*) from ${defects} group by 1, 2, 3`)
    },
    { deadlineMs: 10 * 60_000 },
  )
}
