import { and, eq, sql } from 'drizzle-orm'
import type { Board } from '../board/board.ts'
import type { Database, Queries } from '../db/database.ts'
import { projectDays, sectionDays } from '../db/schema.ts'
import type { CountsNarrowing } from './counters.ts'
import type { Trends } from './model.ts'
import { firstDay } from './statements.ts'

export interface TrendsRequest extends Pick<CountsNarrowing, 'project'> {
  days: number
  /** so many days earlier, for comparison */
  back: number
}

/** Each day of a span on every section of the board, and on retired ones that had defects then. */
export async function sectionTrends(db: Database, board: Board, request: TrendsRequest): Promise<Trends> {
  const { days, back } = request
  const [from, rows] = await db.read(async queries => {
    const [first] = await queries.execute<{ from: string }>(
      sql`select (${firstDay(days + back)})::text as from`,
    )
    return [first!.from, await daysFrom(queries, first!.from, request)] as const
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

function daysFrom(queries: Queries, from: string, { project, days }: TrendsRequest) {
  const table = project === undefined ? sectionDays : projectDays
  return queries
    .select({
      sectionId: table.sectionId,
      at: sql<number>`${table.day} - ${from}::date`.mapWith(Number),
      count: sql<number>`sum(${table.count})::float8`.mapWith(Number),
    })
    .from(table)
    .where(
      and(
        project === undefined ? undefined : eq(projectDays.projectId, project),
        sql`${table.day} >= ${from}::date and ${table.day} < ${from}::date + ${days}::int`,
      ),
    )
    .groupBy(table.sectionId, table.day)
    .orderBy(table.sectionId)
}
