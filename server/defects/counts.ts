import { eq, sql } from 'drizzle-orm'
import { type Board, isSectionId } from '../board/board.ts'
import type { Database, Queries } from '../db/database.ts'
import { defects, sectionDays, sectionTotals } from '../db/schema.ts'
import type { Counts } from './model.ts'
import { firstDay, perClient } from './statements.ts'

/** Every section of the board, and retired ones that still have defects. */
export async function sectionCounts(db: Database, board: Board, sinceDays?: number): Promise<Counts> {
  const kept = await db.read(queries => countsQuery(queries, sinceDays))
  const counts: Counts = {}
  for (const id of board.sections.keys()) counts[id] = 0
  for (const { sectionId, count } of kept) counts[sectionId] = count
  return counts
}

function countsQuery(queries: Queries, sinceDays?: number) {
  const { total, since } = countsQueries(queries)
  return sinceDays === undefined ? total.execute() : since.execute({ sinceDays })
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
      .where(sql`${sectionDays.day} >= ${firstDay(sql.placeholder('sinceDays'))}`)
      .groupBy(sectionDays.sectionId)
      .orderBy(sectionDays.sectionId)
      .prepare('counts_since'),
  }
})

/** A section of the board, or one that has left it and still has defects. */
export async function isKnownSection(db: Database, board: Board, id: string): Promise<boolean> {
  return board.sections.has(id) || (isSectionId(id) && (await hasDefects(db, id)))
}

function hasDefects(db: Database, sectionId: string): Promise<boolean> {
  return db.read(async queries => {
    const [row] = await queries
      .select({ id: sectionTotals.sectionId })
      .from(sectionTotals)
      .where(eq(sectionTotals.sectionId, sectionId))
      .limit(1)
    return row !== undefined
  })
}

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
