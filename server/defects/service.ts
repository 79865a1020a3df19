import { and, desc, eq, sql } from 'drizzle-orm'
import type { Board } from '../board/board.ts'
import type { Database, Queries } from '../db/database.ts'
import { sqlState } from '../db/faults.ts'
import { defects, projects, sectionDays, sectionTotals } from '../db/schema.ts'
import { tuples } from '../db/tuples.ts'
import { Refusal } from '../errors.ts'
import type { PushQueue } from '../push/queue.ts'
import { trim } from '../text.ts'
import { type Position, writeCursor } from './cursor.ts'
import type { Counts, FeedEntry } from './model.ts'

export interface Report {
  sectionId: string
  projectId: string
  verbatim: string
  reporter: string
  idempotencyKey?: string | null
}

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

const FOREIGN_KEY_VIOLATION = '23503'

/** Stores the report, once per Idempotency-Key, and lets the owner know without waiting for it. */
export async function reportDefect(
  { db, board, push }: { db: Database; board: Board; push: PushQueue },
  report: Report,
): Promise<{ entry: FeedEntry; created: boolean }> {
  if (!board.sections.has(report.sectionId)) throw unknownSection('invalid_body', 'section_id')
  const row = {
    ...report,
    id: Bun.randomUUIDv7(),
    verbatim: trim(report.verbatim),
    idempotencyKey: report.idempotencyKey ?? null,
  }

  const stored = await db.write(queries => insertion(queries).execute(row)).catch(unknownProject)
  if (!stored[0]) return { entry: await sameReport(db, row), created: false }
  const entry = toEntry(stored[0])
  push.later({
    id: entry.id,
    sectionId: entry.section_id,
    projectName: entry.project_name,
    verbatim: entry.verbatim,
  })
  return { entry, created: true }
}

const insertion = perClient(queries => {
  const given = sql.placeholder
  const filed = queries.$with('filed').as(
    queries
      .insert(defects)
      .values({
        id: given('id'),
        sectionId: given('sectionId'),
        projectId: given('projectId'),
        verbatim: given('verbatim'),
        reporter: given('reporter'),
        idempotencyKey: given('idempotencyKey'),
      })
      .onConflictDoNothing()
      .returning(),
  )
  return queries
    .with(filed)
    .select({
      id: filed.id,
      section_id: filed.sectionId,
      project_id: filed.projectId,
      project_name: projects.name,
      verbatim: filed.verbatim,
      reporter: filed.reporter,
      created_at: filed.createdAt,
    })
    .from(filed)
    .innerJoin(projects, eq(projects.id, filed.projectId))
    .prepare('report')
})

function unknownProject(error: unknown): never {
  if (sqlState(error) !== FOREIGN_KEY_VIOLATION) throw error
  throw new Refusal('unknown_project', [{ field: 'project_id', message: 'is not an existing project' }])
}

export function unknownSection(code: 'invalid_body' | 'invalid_query', field: string) {
  return new Refusal(code, [{ field, message: 'is not a section of the board' }])
}

/** The report that was stored under this key, if it says the same. */
async function sameReport(db: Database, report: Report): Promise<FeedEntry> {
  const [stored] = await db.read(queries =>
    queries
      .select(entryFields)
      .from(defects)
      .innerJoin(projects, eq(projects.id, defects.projectId))
      .where(
        and(eq(defects.reporter, report.reporter), eq(defects.idempotencyKey, report.idempotencyKey ?? '')),
      ),
  )
  const same =
    stored?.section_id === report.sectionId &&
    stored.project_id === report.projectId.toLowerCase() &&
    stored.verbatim === report.verbatim
  if (!same) {
    const message = 'was already used for a different report'
    throw new Refusal('idempotency_key_reused', [{ field: 'Idempotency-Key', message }])
  }
  return toEntry(stored)
}

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

function feedRows(queries: Queries, request: FeedRequest): Promise<EntryTuple[]> {
  const { limit, section, before, sinceDays } = request
  const shape = `${limit} ${section !== undefined} ${before !== undefined} ${sinceDays !== undefined}`
  const prepared = feedQueries(queries)
  const query = prepared.get(shape) ?? feedQuery(queries, request)
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

const firstDay = (days: unknown) => sql`(now() at time zone 'UTC')::date - (${days}::int - 1)`

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

/** Whether any defect was ever filed on a section, also one that has left the board. */
export function sectionHasDefects(db: Database, sectionId: string): Promise<boolean> {
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

/** Statements are built once per client, not once per request. */
function perClient<T>(build: (queries: Queries) => T): (queries: Queries) => T {
  const built = new WeakMap<Queries, T>()
  return queries => {
    let prepared = built.get(queries)
    if (prepared === undefined) {
      prepared = build(queries)
      built.set(queries, prepared)
    }
    return prepared
  }
}
