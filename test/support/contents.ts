import { asc } from 'drizzle-orm'
import type { Database } from '../../server/db/database.ts'
import {
  defects,
  projectAliases,
  projectDays,
  projects,
  projectTotals,
  pushSubscriptions,
  sectionDays,
  sections,
  sectionTotals,
} from '../../server/db/schema.ts'

/** All that people put into a database, and the counts kept of it. */
export const contents = (db: Database) =>
  db.read(async queries => ({
    projects: await queries.select().from(projects).orderBy(asc(projects.id)),
    defects: await queries.select().from(defects).orderBy(asc(defects.id)),
    aliases: await queries.select().from(projectAliases).orderBy(asc(projectAliases.id)),
    sections: await queries.select().from(sections).orderBy(asc(sections.id)),
    devices: await queries.select().from(pushSubscriptions),
    totals: sums(await queries.select().from(sectionTotals), row => row.sectionId),
    days: sums(await queries.select().from(sectionDays), row => `${row.day} ${row.sectionId}`),
    projectTotals: sums(
      await queries.select().from(projectTotals),
      row => `${row.projectId} ${row.sectionId}`,
    ),
    projectDays: sums(
      await queries.select().from(projectDays),
      row => `${row.projectId} ${row.day} ${row.sectionId}`,
    ),
  }))

function sums<T extends { count: number }>(rows: T[], name: (row: T) => string) {
  const sum: Record<string, number> = {}
  for (const row of rows) sum[name(row)] = (sum[name(row)] ?? 0) + row.count
  return sum
}
