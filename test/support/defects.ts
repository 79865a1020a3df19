import type { SQL } from 'drizzle-orm'
import type { Queries } from '../../server/db/database.ts'
import { defects } from '../../server/db/schema.ts'

type Row = typeof defects.$inferInsert
type Overrides = { [P in keyof Row]?: Row[P] | SQL } & { projectId: string }

/** On a busy machine a statement of more rows takes longer than one may. */
const PAGE = 100

/** So many defects straight into the table, past every rule; each with what `overrides` says of it. */
export async function fileDefects(
  db: { write<T>(run: (queries: Queries) => Promise<T>): Promise<T> },
  many: number,
  overrides: Overrides | ((i: number) => Overrides),
) {
  const rows = Array.from({ length: many }, (_, i) => ({
    id: Bun.randomUUIDv7(),
    sectionId: 'usb-port',
    verbatim: `report ${i}`,
    reporter: 'alice@example.com',
    ...(typeof overrides === 'function' ? overrides(i) : overrides),
  }))
  for (let at = 0; at < rows.length; at += PAGE) {
    await db.write(queries => queries.insert(defects).values(rows.slice(at, at + PAGE)))
  }
  return rows
}
