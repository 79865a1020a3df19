import { sql } from 'drizzle-orm'
import type { Board } from '../board/board.ts'
import type { Database } from '../db/database.ts'
import { sectionDays } from '../db/schema.ts'
import type { Trends } from './model.ts'
import { firstDay } from './statements.ts'

export interface TrendsRequest {
  days: number
  /** so many days earlier, for comparison */
  back: number
}

/** Each day of a span on every section of the board, and on retired ones that had defects then. */
export async function sectionTrends(
  db: Database,
  board: Board,
  { days, back }: TrendsRequest,
): Promise<Trends> {
  const [from, rows] = await db.read(async queries => {
    const [first] = await queries.execute<{ from: string }>(
      sql`select (${firstDay(days + back)})::text as from`,
    )
    const from = first!.from
    const at = sql<number>`${sectionDays.day} - ${from}::date`
    const rows = await queries
      .select({
        sectionId: sectionDays.sectionId,
        at: at.mapWith(Number),
        count: sql<number>`sum(${sectionDays.count})::float8`.mapWith(Number),
      })
      .from(sectionDays)
      .where(sql`${sectionDays.day} >= ${from}::date and ${sectionDays.day} < ${from}::date + ${days}::int`)
      .groupBy(sectionDays.sectionId, sectionDays.day)
      .orderBy(sectionDays.sectionId)
    return [from, rows] as const
  })
  const none = () => Array.from({ length: days }, () => 0)
  const sections: Trends['sections'] = {}
  for (const id of board.sections.keys()) sections[id] = none()
  for (const { sectionId, at, count } of rows) {
    sections[sectionId] ??= none()
    sections[sectionId][at] = count
  }
  return { from, days, sections }
}
