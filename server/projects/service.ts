import { asc, eq, sql } from 'drizzle-orm'
import type { Database, Queries } from '../db/database.ts'
import { sqlState } from '../db/faults.ts'
import { lower, projects, projectTotals } from '../db/schema.ts'
import { Refusal } from '../errors.ts'
import { trim } from '../text.ts'
import { faultsOf, isUuid } from '../wire.ts'
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

export interface CountedProject extends Project {
  defects: number
}

const withCount = (queries: Queries) =>
  queries
    .select({
      ...fields,
      defects: sql<number>`coalesce(sum(${projectTotals.count}), 0)::float8`.mapWith(Number),
    })
    .from(projects)
    .leftJoin(projectTotals, eq(projectTotals.projectId, projects.id))
    .groupBy(projects.id)
    .orderBy(asc(lower(projects.name)))
    .$dynamic()

export const projectsWithCounts = (db: Database): Promise<CountedProject[]> =>
  db.read(async queries => withCount(queries))

/** By its id, or by its name in any case. */
export function findProject(db: Database, idOrName: string): Promise<CountedProject | undefined> {
  const isNamed = isUuid(idOrName)
    ? eq(projects.id, idOrName)
    : sql`${lower(projects.name)} = ${lower(trim(idOrName.normalize('NFC')))}`
  return db.read(async queries => {
    const [found] = await withCount(queries).where(isNamed)
    return found
  })
}

const UNIQUE_VIOLATION = '23505'

/** The project under its new name; undefined when there is none of this id. */
export async function renameProject(
  db: Database,
  id: string,
  spelling: string,
): Promise<Project | undefined> {
  const faults = faultsOf(ProjectBody, { name: spelling })
  if (faults.length) throw new Refusal('invalid_body', faults)
  const name = trim(spelling.normalize('NFC'))
  try {
    const [renamed] = await db.write(queries =>
      queries.update(projects).set({ name }).where(eq(projects.id, id)).returning(fields),
    )
    return renamed
  } catch (error) {
    if (sqlState(error) !== UNIQUE_VIOLATION) throw error
    throw new Refusal('invalid_body', [{ field: 'name', message: 'is the name of another project' }])
  }
}
