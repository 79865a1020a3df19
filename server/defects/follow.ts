import { and, asc, eq, inArray, sql } from 'drizzle-orm'
import { STATEMENT_DEADLINE_MS } from '../db/client.ts'
import type { Database, Queries } from '../db/database.ts'
import { defects, projects } from '../db/schema.ts'
import { entryColumns, type FeedEntry, toEntry } from './entry.ts'
import { readFeed } from './feed.ts'
import { type Narrowing, narrowingCondition, narrowingParameters } from './narrowing.ts'

export interface Follower {
  /** The newest, oldest of them first. */
  begin(last: number): Promise<FeedEntry[]>
  /** What was committed since, each exactly once; one that took long to commit may be older than others. */
  more(): Promise<FeedEntry[]>
}

const WINDOW_MS = 3 * STATEMENT_DEADLINE_MS
const MOST_WINDOW_MS = 10 * 60_000
const CHUNK = 500

/**
 * A defect carries the time at which its transaction began and can be seen once that has ended, so a
 * window that is longer than any such transaction is read anew each time, and what was given out is
 * remembered.
 */
export function follow(db: Database, narrowing: Narrowing = {}, windowMs = WINDOW_MS): Follower {
  const given = new Map<string, number>()
  let start = 0
  let from = 0

  async function newIds(): Promise<string[]> {
    const { clock, found } = await db.read(async queries => {
      const clock = await readClock(queries, db.kind)
      return { clock, found: await filedSince(queries, from || clock.oldest - windowMs, narrowing) }
    })
    start ||= clock.oldest - windowMs
    const unseen = found.filter(row => !given.has(row.id))
    for (const row of unseen) given.set(row.id, row.createdAt.getTime())
    for (const [id, createdAt] of given) if (createdAt < clock.now - MOST_WINDOW_MS) given.delete(id)
    from = Math.max(start, clock.now - MOST_WINDOW_MS, clock.oldest - windowMs)
    return unseen.map(row => row.id)
  }

  return {
    async begin(last) {
      await newIds()
      const { entries } = last ? await readFeed(db, { ...narrowing, limit: last }) : { entries: [] }
      for (const entry of entries) given.set(entry.id, Date.parse(entry.created_at))
      return entries.toReversed()
    },
    async more() {
      const before = from
      const ids = await newIds()
      try {
        return await entriesOf(db, ids)
      } catch (error) {
        for (const id of ids) given.delete(id)
        from = before
        throw error
      }
    },
  }
}

/** The database's time, and when the oldest transaction began that is writing now. */
async function readClock(queries: Queries, kind: Database['kind']): Promise<{ now: number; oldest: number }> {
  const writing =
    kind === 'postgres'
      ? sql`(select min(xact_start) from pg_stat_activity where backend_xid is not null and datname = current_database())`
      : sql`null`
  const [row] = await queries.execute<{ now: string; oldest: string }>(sql`select
    extract(epoch from now())::float8 * 1000 as now,
    extract(epoch from least(now(), ${writing}::timestamptz))::float8 * 1000 as oldest`)
  return { now: Number(row?.now), oldest: Number(row?.oldest) }
}

function filedSince(queries: Queries, from: number, narrowing: Narrowing) {
  const values = narrowingParameters(narrowing)
  return queries
    .select({ id: defects.id, createdAt: defects.createdAt })
    .from(defects)
    .where(
      and(
        narrowingCondition(narrowing, name => values[name]),
        sql`${defects.createdAt} >= ${new Date(from).toISOString()}::timestamptz`,
      ),
    )
    .orderBy(asc(defects.createdAt), asc(defects.id))
}

async function entriesOf(db: Database, ids: string[]): Promise<FeedEntry[]> {
  const entries: FeedEntry[] = []
  for (let at = 0; at < ids.length; at += CHUNK) {
    const rows = await db.read(queries =>
      queries
        .select(entryColumns)
        .from(defects)
        .innerJoin(projects, eq(projects.id, defects.projectId))
        .where(inArray(defects.id, ids.slice(at, at + CHUNK)))
        .orderBy(asc(defects.createdAt), asc(defects.id)),
    )
    entries.push(...rows.map(toEntry))
  }
  return entries
}
