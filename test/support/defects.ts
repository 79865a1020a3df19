import { type SQL, sql } from 'drizzle-orm'
import type { Queries } from '../../server/db/database.ts'
import { defects } from '../../server/db/schema.ts'

type Row = typeof defects.$inferInsert
type Overrides = { [P in keyof Row]?: Row[P] | SQL } & { projectId: string | SQL }

interface Writable {
  write<T>(run: (queries: Queries) => Promise<T>): Promise<T>
}

/** On a busy machine a statement of more rows takes longer than one may. */
const PAGE = 100

/** So many defects straight into the table, past every rule; each with what `overrides` says of it. */
export async function fileDefects<O extends Overrides>(
  db: Writable,
  many: number,
  overrides: O | ((i: number) => O),
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

/** The statement for one defect, or one for each row of `source`; columns not named may be missing in an older schema. */
export function insertDefect(overrides: Overrides, source = sql``): SQL {
  const values: Overrides = {
    id: sql`gen_random_uuid()`,
    sectionId: 'usb-port',
    verbatim: 'The shield is loose',
    reporter: 'alice@example.com',
    ...overrides,
  }
  const fields = Object.keys(values) as (keyof Row)[]
  const names = fields.map(field => sql.identifier(defects[field].name))
  const given = fields.map(field => sql`(${values[field]})::${sql.raw(defects[field].getSQLType())}`)
  return sql`insert into ${defects} (${sql.join(names, sql`, `)}) select ${sql.join(given, sql`, `)} ${source}`
}

const STEP = 2_000

/** Very many, made by the database itself, where `n` counts them. */
export async function generateDefects(db: Writable, many: number, overrides: Overrides) {
  for (let from = 0; from < many; from += STEP) {
    const source = sql`from generate_series(${from}::int, ${Math.min(from + STEP, many) - 1}::int) as n`
    await db.write(queries => queries.execute(insertDefect(overrides, source)))
  }
}
