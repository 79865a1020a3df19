import { and, desc, eq, type SQLWrapper, sql } from 'drizzle-orm'
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

export async function readFeed(db: Database, request: FeedRequest): Promise<Feed> {
  const [page] = await db.read(queries => feedPage(queries, request))
  const found = entriesOf(page)
  const entries = found.slice(0, request.limit)
  const last = entries.at(-1)
  const more = found.length > request.limit && last
  return {
    entries,
    ...(more ? { next: writeCursor({ createdAt: new Date(last.created_at), id: last.id }) } : {}),
  }
}

/** Every limit of its own would leave its own statement prepared, on each connection. */
const LIMITS = [50, 200]

function feedPage(queries: Queries, request: FeedRequest): Promise<Columns[]> {
  const { section, before, sinceDays } = request
  const limit = LIMITS.find(most => request.limit <= most) ?? request.limit
  const shape = `${limit} ${section !== undefined} ${before !== undefined} ${sinceDays !== undefined}`
  const prepared = feedQueries(queries)
  const query = prepared.get(shape) ?? feedQuery(queries, { ...request, limit })
  prepared.set(shape, query)
  const given = { section, createdAt: before?.createdAt.toISOString(), id: before?.id, sinceDays }
  return tuples<Columns>(queries, query, given)
}

/**
 * One more entry than asked for tells whether more follow. The page is one row, each column of it an
 * array: fifty rows cost the driver more than PostgreSQL needs to find them.
 */
export function feedQuery(queries: Queries, { limit, section, before, sinceDays }: FeedRequest) {
  const given = sql.placeholder
  const page = queries
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
    .as('page')
  return queries
    .select({
      id: column(page.id),
      section_id: column(page.section_id),
      project_id: column(page.project_id),
      project_name: column(page.project_name),
      verbatim: column(page.verbatim),
      reporter: column(page.reporter),
      created_at: column(sql`${page.created_at} at time zone 'UTC'`),
    })
    .from(page)
    .prepare('feed')
}

/** In the order of the page; null when it is empty. */
const column = (of: SQLWrapper) => sql<string[] | null>`json_agg(${of})`
type Columns = [string[], string[], string[], string[], string[], string[], string[]] | [null]

function entriesOf(page: Columns = [null]): FeedEntry[] {
  if (page[0] === null) return []
  const [ids, sections, projectIds, projectNames, verbatims, reporters, times] = page
  return ids.map((id, i) => ({
    id,
    section_id: sections[i]!,
    project_id: projectIds[i]!,
    project_name: projectNames[i]!,
    verbatim: verbatims[i]!,
    reporter: reporters[i]!,
    created_at: isoTime(times[i]!),
  }))
}

/** PostgreSQL leaves zeros out at the end. */
const isoTime = (time: string) => `${time.length === 19 ? `${time}.000` : time.padEnd(23, '0')}Z`

const feedQueries = perClient(() => new Map<string, ReturnType<typeof feedQuery>>())
