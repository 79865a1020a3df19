import { and, desc, eq, type SQLWrapper, sql } from 'drizzle-orm'
import type { Database, Queries } from '../db/database.ts'
import { runPrepared } from '../db/prepared.ts'
import { defects, projects } from '../db/schema.ts'
import { type Position, writeCursor } from './cursor.ts'
import { entryColumns, entryNames, type FeedEntry } from './entry.ts'
import {
  leadingColumn,
  type Narrowing,
  narrowingCondition,
  narrowingNames,
  narrowingParameters,
} from './narrowing.ts'
import { perClient } from './statements.ts'

export interface FeedRequest extends Narrowing {
  limit: number
  before?: Position
}

export interface Feed {
  entries: FeedEntry[]
  /** the cursor of the next page, when more follow */
  next?: string
}

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

function feedPage(queries: Queries, request: FeedRequest): Promise<Page[]> {
  const limit = LIMITS.find(most => request.limit <= most) ?? request.limit
  const shape = [limit, request.before !== undefined, ...narrowingNames(request)].join(' ')
  const prepared = feedQueries(queries)
  const query = prepared.get(shape) ?? feedQuery(queries, { ...request, limit })
  prepared.set(shape, query)
  return runPrepared<Page>(queries, query, feedParameters(request))
}

export const feedParameters = ({ before, ...request }: FeedRequest) => ({
  ...narrowingParameters(request),
  ...(before ? { beforeTime: before.createdAt.toISOString(), beforeId: before.id } : {}),
})

/**
 * One more entry than asked for tells whether more follow. The page is one row, each column of it an
 * array: fifty rows cost the driver more than PostgreSQL needs to find them.
 */
export function feedQuery(queries: Queries, { limit, before, ...narrowing }: FeedRequest) {
  const given = sql.placeholder
  const lead = leadingColumn(narrowing)
  const order = [...(lead ? [lead.column] : []), defects.createdAt, defects.id]
  const end = [
    ...(lead ? [given(lead.name)] : []),
    sql`${given('beforeTime')}::timestamptz`,
    sql`${given('beforeId')}::uuid`,
  ]
  const page = queries
    .select(entryColumns)
    .from(defects)
    .innerJoin(projects, eq(projects.id, defects.projectId))
    .where(and(narrowingCondition(narrowing), before && sql`(${list(order)}) < (${list(end)})`))
    .orderBy(...order.map(column => desc(column)))
    // A literal in spite of the type: with a parameter PostgreSQL plans the statement anew each time.
    .limit(sql.raw(String(limit + 1)) as unknown as number)
    .as('page')
  const arrays = entryNames.map(name => [name, arrayOf(name, page[name]).as(name)])
  return queries
    .select(Object.fromEntries(arrays) as Record<string, ReturnType<typeof arrayOf>>)
    .from(page)
    .prepare('feed')
}

const list = (items: SQLWrapper[]) => sql.join(items, sql`, `)

/** In the order of the page; null when it is empty. */
const arrayOf = (name: keyof FeedEntry, column: SQLWrapper) =>
  sql`json_agg(${isTime(name) ? sql`${column} at time zone 'UTC'` : column})`
type Page = Record<keyof FeedEntry, unknown[] | null>

const isTime = (name: keyof FeedEntry) => entryColumns[name].dataType === 'date'

function entriesOf(page?: Page): FeedEntry[] {
  const entries: Record<string, unknown>[] = (page?.id ?? []).map(() => ({}))
  for (const name of entryNames) {
    const values = page?.[name] ?? []
    const time = isTime(name)
    for (const [i, entry] of entries.entries()) entry[name] = time ? isoTime(values[i] as string) : values[i]
  }
  return entries as unknown as FeedEntry[]
}

/** PostgreSQL leaves zeros out at the end. */
const isoTime = (time: string) => `${time.length === 19 ? `${time}.000` : time.padEnd(23, '0')}Z`

const feedQueries = perClient(() => new Map<string, ReturnType<typeof feedQuery>>())
