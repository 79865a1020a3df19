import { and, asc, inArray, sql } from 'drizzle-orm'
import type { Queries } from '../db/database.ts'
import { defects, projects, pushSubscriptions, sectionTotals } from '../db/schema.ts'
import type { DefectRow, DeviceRow, Line, ProjectRow, Totals } from './format.ts'

/** Runs one short statement, inside a snapshot or on its own. */
type Ask = <T>(run: (queries: Queries) => Promise<T>) => Promise<T>

export interface RowPages {
  ask: Ask
  lines(): AsyncGenerator<Line[]>
}

const PAGE = 1_000

/**
 * All rows, a page at a time. Defects are only ever added, and in the order of their creation: those up
 * to the newest one at the start are the whole. A project comes before the first defect that names it,
 * also one that was made since.
 */
export function rowPages(ask: Ask): RowPages {
  const written = new Set<string>()

  async function* projectPages() {
    for (let after = ''; ; ) {
      const page = await ask(queries => projectsAfter(queries, after))
      for (const row of page) written.add(row.id)
      yield page.map(project => ({ project }))
      if (page.length < PAGE) return
      after = page.at(-1)!.id
    }
  }

  async function missingProjects(page: DefectRow[]): Promise<Line[]> {
    const missing = [...new Set(page.map(row => row.project_id))].filter(id => !written.has(id))
    if (!missing.length) return []
    const found = await ask(queries => projectsById(queries, missing))
    for (const row of found) written.add(row.id)
    return found.map(project => ({ project }))
  }

  async function* defectPages(bound: Position | undefined) {
    for (let after: Position | undefined; bound; ) {
      const page = await ask(queries => defectsBetween(queries, after, bound))
      yield [...(await missingProjects(page)), ...page.map(defect => ({ defect }))]
      after = page.at(-1)
      if (page.length < PAGE) return
    }
  }

  return {
    ask,
    async *lines() {
      const bound = await ask(newestDefect)
      yield* projectPages()
      yield* defectPages(bound)
      yield (await ask(devices)).map(device => ({ device }))
    },
  }
}

/** Told by the kept counts: nothing is counted row by row. */
export async function countRows(ask: Ask): Promise<Totals> {
  const [counted] = await ask(queries =>
    queries.execute<{ projects: number; defects: number; devices: number }>(sql`select
      (select count(*)::int from ${projects}) as projects,
      (select coalesce(sum(${sectionTotals.count}), 0)::float8 from ${sectionTotals}) as defects,
      (select count(*)::int from ${pushSubscriptions}) as devices`),
  )
  return { projects: counted?.projects ?? 0, defects: counted?.defects ?? 0, devices: counted?.devices ?? 0 }
}

interface Position {
  created_at: string
  id: string
}

async function newestDefect(queries: Queries): Promise<Position | undefined> {
  const [newest] = await queries
    .select({ created_at: defects.createdAt, id: defects.id })
    .from(defects)
    .orderBy(sql`${defects.createdAt} desc, ${defects.id} desc`)
    .limit(1)
  return newest && { ...newest, created_at: newest.created_at.toISOString() }
}

const position = sql`(${defects.createdAt}, ${defects.id})`
const at = ({ created_at, id }: Position) => sql`(${created_at}::timestamptz, ${id}::uuid)`

async function defectsBetween(
  queries: Queries,
  after: Position | undefined,
  bound: Position,
): Promise<DefectRow[]> {
  const rows = await queries
    .select({
      id: defects.id,
      section_id: defects.sectionId,
      project_id: defects.projectId,
      verbatim: defects.verbatim,
      reporter: defects.reporter,
      created_at: defects.createdAt,
      idempotency_key: defects.idempotencyKey,
    })
    .from(defects)
    .where(and(after && sql`${position} > ${at(after)}`, sql`${position} <= ${at(bound)}`))
    .orderBy(asc(defects.createdAt), asc(defects.id))
    .limit(PAGE)
  return rows.map(row => ({ ...row, created_at: row.created_at.toISOString() }))
}

const projectFields = { id: projects.id, name: projects.name, created_at: projects.createdAt }
const toProject = (row: Omit<ProjectRow, 'created_at'> & { created_at: Date }): ProjectRow => ({
  ...row,
  created_at: row.created_at.toISOString(),
})

async function projectsAfter(queries: Queries, after: string): Promise<ProjectRow[]> {
  const rows = await queries
    .select(projectFields)
    .from(projects)
    .where(after ? sql`${projects.id} > ${after}::uuid` : undefined)
    .orderBy(asc(projects.id))
    .limit(PAGE)
  return rows.map(toProject)
}

async function projectsById(queries: Queries, ids: string[]): Promise<ProjectRow[]> {
  return (await queries.select(projectFields).from(projects).where(inArray(projects.id, ids))).map(toProject)
}

async function devices(queries: Queries): Promise<DeviceRow[]> {
  const rows = await queries.select().from(pushSubscriptions).orderBy(asc(pushSubscriptions.endpoint))
  return rows.map(row => ({
    endpoint: row.endpoint,
    p256dh: row.p256dh,
    auth: row.auth,
    owner_email: row.ownerEmail,
    vapid_public_key: row.vapidPublicKey,
    created_at: row.createdAt.toISOString(),
    last_outcome: row.lastOutcome,
    last_outcome_at: row.lastOutcomeAt?.toISOString() ?? null,
  }))
}
