import { sql } from 'drizzle-orm'
import type { Database } from '../../server/db/database.ts'
import { findOrCreateProject } from '../../server/projects/service.ts'
import { generateDefects } from '../support/defects.ts'

/** Sections as busy as they are in life: one loud, most quiet. */
const sections = ['usb-port', 'usb-port', 'usb-port', 'power-jack', 'power-jack', 'ethernet', 'cpu']

/** Of a rare project, and with a rare word, there are so many whatever the number of rows. */
const RARE = 1_000

export interface Seeded {
  projectId: string
  rareProjectId: string
}

/** So many defects over the past year, two a second at most; counts come by the trigger. */
export async function seed(db: Database, rows: number): Promise<Seeded> {
  const { project } = await findOrCreateProject(db, 'Benchmark')
  const { project: rare } = await findOrCreateProject(db, 'Rare')
  const every = Math.floor(rows / RARE)
  const isRare = sql`n % ${every}::int = 0 and n < ${every * RARE}::int`
  await generateDefects(db, rows, {
    sectionId: sql`(string_to_array(${sections.join()}, ','))[1 + n % ${sections.length}::int]`,
    projectId: sql`case when ${isRare} then ${rare.id}::uuid else ${project.id}::uuid end`,
    verbatim: sql`'Connector ' || n || ' is loose when the cable is moved' || case when ${isRare} then ' halfway' else '' end`,
    reporter: sql`'person' || n % 200 || '@example.com'`,
    createdAt: sql`now() - interval '365 days' * (1 - n::float8 / ${rows}::int) - interval '1 second'`,
  })
  if (db.kind === 'postgres') {
    await db.transaction(
      async queries => {
        await queries.execute(sql`set local statement_timeout = 0`)
        await queries.execute(sql`analyze`)
      },
      { deadlineMs: 60_000 },
    )
  }
  return { projectId: project.id, rareProjectId: rare.id }
}
