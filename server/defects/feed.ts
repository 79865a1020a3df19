import { and, desc, eq, inArray, type SQLWrapper, sql } from 'drizzle-orm'
import type { Database, Queries } from '../db/database.ts'
import { runPrepared } from '../db/prepared.ts'
import { defects, projects } from '../db/schema.ts'
import { type Position, readCursor, writeCursor } from './cursor.ts'
import { entryColumns, entryNames, type FeedEntry } from './entry.ts'
import {
  isPlannedAnew,
  leadingColumn,
  type Narrowing,
  narrowingCondition,
  narrowingNames,
  narrowingParameters,
} from './narrowing.ts'
import { firstDay, perClient, sinceDay } from './statements.ts'

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
  const page = await db.read(queries => feedPage(queries, request))
  const found = entriesOf(page)
  const entries = found.slice(0, request.limit)
  const last = entries.at(-1)
  const more = found.length > request.limit && last
  return {
    entries,
    ...(more
      ? {
          next: writeCursor({ createdAt: new Date(last.created_at), id: last.id, ...fromDay(page, request) }),
        }
      : {}),
  }
}

const PAGE = 200

/** Newest first, page after page, `most` in all. */
export async function* feedPages(
  db: Database,
  narrowing: Narrowing,
  most = Number.POSITIVE_INFINITY,
): AsyncGenerator<FeedEntry[], void> {
  let left = most
  let before: Position | undefined
  while (left > 0) {
    const { entries, next } = await readFeed(db, {
      ...narrowing,
      limit: Math.min(left, PAGE),
      ...(before && { before }),
    })
    yield entries
    left -= entries.length
    before = next === undefined ? undefined : readCursor(next)
    if (!before) return
  }
}

const FIRST_DAY = 'first_day'

/** What `since` means to the pages that follow. */
function fromDay(page: Page | undefined, { before, since }: FeedRequest): { from?: string } {
  const from = since === undefined ? undefined : (before?.from ?? page?.[FIRST_DAY])
  return from === undefined ? {} : { from }
}

/** Every limit of its own would leave its own statement prepared, on each connection. */
const LIMITS = [50, 200]

/**
 * Words that many reports hold fill a page from so many of the newest, whatever PostgreSQL thinks of their number:
 * by the index it would fetch and sort them all.
 */
const NEWEST = 500
/** Where so many of those have them, a page is rather filled from so many more than by the index. */
const OFTEN = 10
const NEWER = 5_000

async function feedPage(queries: Queries, request: FeedRequest): Promise<Page | undefined> {
  if (request.q === undefined) return runPage(queries, request)
  const page = await runPage(queries, request, NEWEST)
  if (entriesIn(page) > request.limit) return page
  const more = entriesIn(page) >= OFTEN ? await runPage(queries, request, NEWER) : undefined
  return entriesIn(more) > request.limit ? more : runPage(queries, request)
}

const entriesIn = (page: Page | undefined) => page?.id?.length ?? 0

async function runPage(queries: Queries, request: FeedRequest, newest?: number): Promise<Page | undefined> {
  const limit = LIMITS.find(most => request.limit <= most) ?? request.limit
  const { before } = request
  const shape = [limit, newest, before !== undefined, before?.from !== undefined, ...narrowingNames(request)]
  const prepared = feedQueries(queries)
  const query = prepared.get(String(shape)) ?? feedQuery(queries, { ...request, limit }, newest)
  prepared.set(String(shape), query)
  const prepare = newest !== undefined || !isPlannedAnew(request)
  const [page] = await runPrepared<Page>(queries, query, feedParameters(request), { prepare })
  return page
}

export const feedParameters = ({ before, ...request }: FeedRequest) => ({
  ...narrowingParameters(request),
  ...(before ? { beforeTime: before.createdAt.toISOString(), beforeId: before.id, from: before.from } : {}),
})

/**
 * One more entry than asked for tells whether more follow. The page is one row, each column of it an
 * array: fifty rows cost the driver more than PostgreSQL needs to find them.
 */
export function feedQuery(
  queries: Queries,
  { limit, before, ...asked }: FeedRequest,
  /** Look for words in so many of the newest alone. */
  newest?: number,
) {
  const given = sql.placeholder
  const { since, ...rest } = asked
  const from = since !== undefined && before?.from !== undefined
  const narrowing = from ? rest : asked
  const lead = leadingColumn(narrowing)
  const order = [...(lead ? [lead.column] : []), defects.createdAt, defects.id]
  const end = [
    ...(lead ? [given(lead.name)] : []),
    sql`${given('beforeTime')}::timestamptz`,
    sql`${given('beforeId')}::uuid`,
  ]
  const { q, ...besideWords } = narrowing
  const among = (narrowing: Narrowing) =>
    and(
      narrowingCondition(narrowing),
      from ? sinceDay(given('from')) : undefined,
      before && sql`(${list(order)}) < (${list(end)})`,
    )
  // In an order that no index has: else one is walked through for words that are thought to be frequent and are not.
  const sorted = q !== undefined && newest === undefined
  const newestFirst = order.map(column =>
    desc(sorted && column === defects.createdAt ? sql`${column} + interval '0'` : column),
  )
  const page = queries
    .select(entryColumns)
    .from(defects)
    .innerJoin(projects, eq(projects.id, defects.projectId))
    .where(
      newest === undefined
        ? among(narrowing)
        : and(
            inArray(
              defects.id,
              queries
                .select({ id: defects.id })
                .from(defects)
                .where(among(besideWords))
                .orderBy(...newestFirst)
                .limit(literal(newest)),
            ),
            // So written, no index is used for it.
            sql`(${narrowingCondition({ q })}) is true`,
          ),
    )
    .orderBy(...newestFirst)
    .limit(literal(limit + 1))
    .as('page')
  const arrays = entryNames.map(name => [name, arrayOf(name, page[name]).as(name)])
  return queries
    .select({
      ...(Object.fromEntries(arrays) as Record<string, ReturnType<typeof arrayOf>>),
      ...(since !== undefined &&
        !from && { [FIRST_DAY]: sql`(${firstDay(given('since'))})::text`.as(FIRST_DAY) }),
    })
    .from(page)
    .prepare('feed')
}

/** In spite of the type: with a parameter PostgreSQL plans the statement anew each time. */
const literal = (many: number) => sql.raw(String(many)) as unknown as number

const list = (items: SQLWrapper[]) => sql.join(items, sql`, `)

/** In the order of the page; null when it is empty. */
const arrayOf = (name: keyof FeedEntry, column: SQLWrapper) =>
  sql`json_agg(${isTime(name) ? sql`${column} at time zone 'UTC'` : column})`
type Page = Record<keyof FeedEntry, unknown[] | null> & { [FIRST_DAY]?: string }

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
