import { and, desc, eq, sql } from 'drizzle-orm'
import type { Database, Queries } from '../db/database.ts'
import { defects, projects } from '../db/schema.ts'
import { tuples } from '../db/tuples.ts'
import { type Position, writeCursor } from './cursor.ts'
import type { FeedEntry } from './model.ts'
import { firstDay, perClient } from './statements.ts'

export interface FeedRequest {
  limit: number
  section?: string
  before?: Position
  sinceDays?: number
}

export interface Feed {
  entries: FeedEntry[]
  /** the cursor of the next page, when more follow */
  next?: string
}

export const entryFields = {
  id: defects.id,
  section_id: defects.sectionId,
  project_id: defects.projectId,
  project_name: projects.name,
  verbatim: defects.verbatim,
  reporter: defects.reporter,
  created_at: defects.createdAt,
}
type EntryRow = Omit<FeedEntry, 'created_at'> & { created_at: Date }
export const toEntry = (row: EntryRow): FeedEntry => ({ ...row, created_at: row.created_at.toISOString() })

/** A row of the feed as the driver hands it over, in the order of `entryFields`. */
type EntryTuple = [string, string, string, string, string, string, string]
const entryOf = ([
  id,
  section_id,
  project_id,
  project_name,
  verbatim,
  reporter,
  time,
]: EntryTuple): FeedEntry => ({
  id,
  section_id,
  project_id,
  project_name,
  verbatim,
  reporter,
  created_at: new Date(time).toISOString(),
})

export async function readFeed(db: Database, request: FeedRequest): Promise<Feed> {
  const rows = await db.read(queries => feedRows(queries, request))
  const entries = rows.slice(0, request.limit).map(entryOf)
  const last = entries.at(-1)
  const more = rows.length > request.limit && last
  return {
    entries,
    ...(more ? { next: writeCursor({ createdAt: new Date(last.created_at), id: last.id }) } : {}),
  }
}

/** Every limit of its own would leave its own statement prepared, on each connection. */
const LIMITS = [50, 200]

function feedRows(queries: Queries, request: FeedRequest): Promise<EntryTuple[]> {
  const { section, before, sinceDays } = request
  const limit = LIMITS.find(most => request.limit <= most) ?? request.limit
  const shape = `${limit} ${section !== undefined} ${before !== undefined} ${sinceDays !== undefined}`
  const prepared = feedQueries(queries)
  const query = prepared.get(shape) ?? feedQuery(queries, { ...request, limit })
  prepared.set(shape, query)
  const given = { section, createdAt: before?.createdAt.toISOString(), id: before?.id, sinceDays }
  return tuples(queries, query, given)
}

/** One more row than asked for tells whether more follow. */
export function feedQuery(queries: Queries, { limit, section, before, sinceDays }: FeedRequest) {
  const given = sql.placeholder
  return (
    queries
      .select(entryFields)
      .from(defects)
      .innerJoin(projects, eq(projects.id, defects.projectId))
      .where(
        and(
          section === undefined ? undefined : eq(defects.sectionId, given('section')),
          before &&
            sql`(${defects.createdAt}, ${defects.id}) < (${given('createdAt')}::timestamptz, ${given('id')}::uuid)`,
          sinceDays === undefined
            ? undefined
            : sql`${defects.createdAt} >= (${firstDay(given('sinceDays'))})::timestamp at time zone 'UTC'`,
        ),
      )
      .orderBy(desc(defects.createdAt), desc(defects.id))
      // A literal in spite of the type: with a parameter PostgreSQL plans the statement anew each time.
      .limit(sql.raw(String(limit + 1)) as unknown as number)
      .prepare('feed')
  )
}

const feedQueries = perClient(() => new Map<string, ReturnType<typeof feedQuery>>())
