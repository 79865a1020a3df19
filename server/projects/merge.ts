import { eq, sql } from 'drizzle-orm'
import type { Database, Queries } from '../db/database.ts'
import { defects, projectAliases, projectDays, projects, projectTotals } from '../db/schema.ts'

/** One of the two is not there, or they are the same. */
export class NotMergeable extends Error {}

const LONGEST_MS = 60 * 60_000

/**
 * Moves every defect of a project into another one, and the counters with them, in one transaction. Reports for
 * other projects pass by; the id that goes is remembered for reports that are sent again.
 */
export function mergeProjects(db: Database, from: string, into: string): Promise<void> {
  if (from === into) throw new NotMergeable('a project cannot be merged into itself')
  return db.transaction(
    async queries => {
      await queries.execute(sql`set local statement_timeout = 0`)
      await take(queries, from, into)
      await queries.update(defects).set({ projectId: into }).where(eq(defects.projectId, from))
      await moveCounters(queries, from, into)
      await queries.update(projectAliases).set({ projectId: into }).where(eq(projectAliases.projectId, from))
      await queries.delete(projects).where(eq(projects.id, from))
      await queries.insert(projectAliases).values({ id: from, projectId: into })
    },
    { deadlineMs: LONGEST_MS },
  )
}

/** The one that goes is kept from new reports, the other one only from going too. */
async function take(queries: Queries, from: string, into: string): Promise<void> {
  const lock = (id: string) => queries.select({ id: projects.id }).from(projects).where(eq(projects.id, id))
  const found = [...(await lock(from).for('update')), ...(await lock(into).for('key share'))]
  if (found.length < 2) throw new NotMergeable('a project is not there any more')
}

/** In the order in which reports write them, and at the end, as reports wait for what is written here. */
async function moveCounters(queries: Queries, from: string, into: string): Promise<void> {
  for (const [table, by] of [
    [projectTotals, sql`section_id`],
    [projectDays, sql`day, section_id`],
  ] as const) {
    await queries.execute(sql`insert into ${table} as kept (project_id, ${by}, slot, count)
      select ${into}::uuid, ${by}, 0, sum(count) from ${table} where project_id = ${from} group by ${by} order by ${by}
      on conflict (project_id, ${by}, slot) do update set count = kept.count + excluded.count`)
    await queries.delete(table).where(eq(table.projectId, from))
  }
}
