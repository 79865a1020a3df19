import { and, eq, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { projectDays, projectTotals, sectionDays, sectionTotals } from '../db/schema.ts'
import { type Narrowing, narrowingNames } from './narrowing.ts'
import { firstDay } from './statements.ts'

/** By what there are counters; words have none. */
export type CountsNarrowing = Omit<Narrowing, 'q'>

export type Counter = typeof sectionTotals | typeof sectionDays | typeof projectTotals | typeof projectDays

/** The smallest that knows what is asked for. */
export function counterOf({ project, since }: CountsNarrowing, byProject = false): Counter {
  if (byProject || project !== undefined) return since === undefined ? projectTotals : projectDays
  return since === undefined ? sectionTotals : sectionDays
}

/** With a placeholder of its name for each value. */
export function counterCondition(table: Counter, narrowing: CountsNarrowing): SQL | undefined {
  const { day, projectId, sectionId } = table as typeof projectDays
  const conditions: Record<string, (value: SQLWrapper) => SQL> = {
    section: value => eq(sectionId, value),
    project: value => eq(projectId, value),
    since: value => sql`${day} >= ${firstDay(value)}`,
  }
  return and(...narrowingNames(narrowing).map(name => conditions[name]!(sql.placeholder(name))))
}
