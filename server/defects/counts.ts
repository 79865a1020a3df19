import { sql } from 'drizzle-orm'
import type { AnyPgColumn } from 'drizzle-orm/pg-core'
import type { Board } from '../board/board.ts'
import type { Database, Queries } from '../db/database.ts'
import { runPrepared } from '../db/prepared.ts'
import type { projectDays } from '../db/schema.ts'
import { type CountsNarrowing, counterCondition, counterOf } from './counters.ts'
import type { Counts } from './model.ts'
import { narrowingNames, narrowingParameters } from './narrowing.ts'
import { perClient } from './statements.ts'

/** Every section of the board, and retired ones that still have defects. */
export async function sectionCounts(
  db: Database,
  board: Board,
  narrowing: Omit<CountsNarrowing, 'section'> = {},
): Promise<Counts> {
  const counts: Counts = {}
  for (const id of board.sections.keys()) counts[id] = 0
  return Object.assign(counts, await counted(db, 'section', narrowing))
}

/** Every project that has defects. */
export const projectCounts = (
  db: Database,
  narrowing: Omit<CountsNarrowing, 'project'> = {},
): Promise<Counts> => counted(db, 'project', narrowing)

type By = 'section' | 'project'
interface Counted {
  id: string
  count: number
}

async function counted(db: Database, by: By, narrowing: CountsNarrowing): Promise<Counts> {
  const rows = await db.read(queries => {
    const prepared = countsQueries(queries)
    const shape = String([by, ...narrowingNames(narrowing)])
    const query = prepared.get(shape) ?? countsQuery(queries, by, narrowing)
    prepared.set(shape, query)
    return runPrepared<Counted>(queries, query, narrowingParameters(narrowing))
  })
  return Object.fromEntries(rows.map(({ id, count }) => [id, count]))
}

type CountsQuery = ReturnType<typeof countsQuery>
const countsQueries = perClient(() => new Map<string, CountsQuery>())

export function countsQuery(queries: Queries, by: By, narrowing: CountsNarrowing) {
  const table = counterOf(narrowing, by === 'project')
  const id: AnyPgColumn = by === 'project' ? (table as typeof projectDays).projectId : table.sectionId
  return queries
    .select({
      id: sql<string>`${id}`.as('id'),
      count: sql<number>`sum(${table.count})::float8`.as('count'),
    })
    .from(table)
    .where(counterCondition(table, narrowing))
    .groupBy(id)
    .orderBy(id)
    .prepare('counts')
}
