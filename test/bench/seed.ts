import { sql } from 'drizzle-orm'
import type { Database } from '../../server/db/database.ts'
import { findOrCreateProject } from '../../server/projects/service.ts'

/** Sections as busy as they are in life: one loud, most quiet. */
const sections = ['usb-port', 'usb-port', 'usb-port', 'power-jack', 'power-jack', 'ethernet', 'cpu']

/** So many defects over the past year, two a second at most; counts come by the trigger. */
export async function seed(db: Database, rows: number): Promise<string> {
  const { project } = await findOrCreateProject(db, 'Benchmark')
  const step = 10_000
  for (let from = 0; from < rows; from += step) {
    await db.write(queries =>
      queries.execute(sql`insert into defects (id, section_id, project_id, verbatim, reporter, created_at)
        select gen_random_uuid(), (array[${sql.raw(sections.map(id => `'${id}'`).join(','))}])[1 + n % ${sections.length}::int],
          ${project.id}, 'Connector ' || n || ' is loose when the cable is moved', 'person' || n % 200 || '@example.com',
          now() - interval '365 days' * (1 - n::float8 / ${rows}::int) - interval '1 second'
        from generate_series(${from}::int, ${Math.min(from + step, rows) - 1}::int) as n`),
    )
  }
  if (db.kind === 'postgres') await db.write(queries => queries.execute(sql`analyze`))
  return project.id
}
