import { asc, count, eq, sql } from 'drizzle-orm'
import type { Database, Queries } from '../db/database.ts'
import { defects, lower, projects } from '../db/schema.ts'
import { Refusal } from '../errors.ts'
import { trim } from '../text.ts'
import { faultsOf } from '../wire.ts'
import { type Project, ProjectBody } from './model.ts'

const fields = { id: projects.id, name: projects.name }

export function listProjects(
  db: Database,
  { q = '', limit }: { q?: string; limit?: number } = {},
): Promise<Project[]> {
  return db.read(async queries => {
    const listed = queries
      .select(fields)
      .from(projects)
      .where(q ? sql`strpos(${lower(projects.name)}, ${lower(q.normalize('NFC'))}) > 0` : undefined)
      .orderBy(asc(lower(projects.name)))
    return limit ? await listed.limit(limit) : await listed
  })
}

/** One row and one id, however many ask at once: the unique rule decides, the first spelling stays. */
export async function findOrCreateProject(
  db: Database,
  spelling: string,
): Promise<{ project: Project; created: boolean }> {
  const faults = faultsOf(ProjectBody, { name: spelling })
  if (faults.length) throw new Refusal('invalid_body', faults)
  const name = trim(spelling.normalize('NFC'))
  const known = await db.read(queries => named(queries, name))
  if (known) return { project: known, created: false }

  const [created] = await db.write(queries =>
    queries.insert(projects).values({ id: Bun.randomUUIDv7(), name }).onConflictDoNothing().returning(fields),
  )
  if (created) return { project: created, created: true }

  // A second statement: the first one's snapshot may be older than the row it met.
  const winner = await db.read(queries => named(queries, name))
  if (!winner) throw new Error('a project that stood in the way cannot be found')
  return { project: winner, created: false }
}

async function named(queries: Queries, name: string): Promise<Project | undefined> {
  const [project] = await queries
    .select(fields)
    .from(projects)
    .where(sql`${lower(projects.name)} = ${lower(name)}`)
  return project
}

export function projectsWithCounts(db: Database): Promise<(Project & { defects: number })[]> {
  return db.read(queries =>
    queries
      .select({ ...fields, defects: count(defects.id) })
      .from(projects)
      .leftJoin(defects, eq(defects.projectId, projects.id))
      .groupBy(projects.id)
      .orderBy(asc(lower(projects.name))),
  )
}
