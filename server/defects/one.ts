import { eq, sql } from 'drizzle-orm'
import type { Database } from '../db/database.ts'
import { defects, projects } from '../db/schema.ts'
import { isUuid } from '../wire.ts'
import { entryColumns, type FeedEntry, toEntry } from './entry.ts'
import { perClient } from './statements.ts'

/** One defect; undefined for what is no UUID, too. */
export async function findDefect(db: Database, id: string): Promise<FeedEntry | undefined> {
  if (!isUuid(id)) return undefined
  const [row] = await db.read(queries => oneQuery(queries).execute({ id }))
  return row && toEntry(row)
}

const oneQuery = perClient(queries =>
  queries
    .select(entryColumns)
    .from(defects)
    .innerJoin(projects, eq(projects.id, defects.projectId))
    .where(eq(defects.id, sql.placeholder('id')))
    .prepare('defect'),
)
