import { getTableColumns } from 'drizzle-orm'
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core'
import { defects, projects, pushSubscriptions } from '../db/schema.ts'
import { storedFields } from '../defects/fields.ts'

type Value = string | number | boolean | null

/** A row of a backup: each column under its own name. */
export type Row = Record<string, Value>

interface BackupColumn {
  column: AnyPgColumn
  /** the first format that has it, and what a row of an older one gets */
  since: number
  before: Value
}

const FIRST = { since: 1, before: null }
const columnsOf = (table: PgTable): BackupColumn[] =>
  Object.values<AnyPgColumn>(getTableColumns(table)).map(column => ({ column, ...FIRST }))

/** What a backup holds, under the name that a line has for it. */
export const kinds = {
  project: { table: projects, columns: columnsOf(projects), plural: 'projects' },
  defect: {
    table: defects,
    columns: storedFields.map(([, { column, backup }]): BackupColumn => ({ column, ...FIRST, ...backup })),
    plural: 'defects',
  },
  device: { table: pushSubscriptions, columns: columnsOf(pushSubscriptions), plural: 'devices' },
} as const
export type Kind = keyof typeof kinds

/** The format that is written: the one that brought the youngest column. */
export const FORMAT = Math.max(...Object.values(kinds).flatMap(({ columns }) => columns.map(c => c.since)))

/** The columns of a kind as something to select. */
export const selection = (kind: Kind): Record<string, AnyPgColumn> =>
  Object.fromEntries(kinds[kind].columns.map(({ column }) => [column.name, column]))

/** What was selected, as it stands in a backup. */
export const toRow = (selected: Record<string, unknown>): Row =>
  Object.fromEntries(
    Object.entries(selected).map(([name, value]) => [
      name,
      value instanceof Date ? value.toISOString() : (value as Value),
    ]),
  )

/** The row of a backup in this format, with what it could not have yet. */
export function completed(row: Row, columns: readonly BackupColumn[], format: number): Row {
  const later = columns.filter(({ since }) => since > format)
  if (!later.length) return row
  return { ...row, ...Object.fromEntries(later.map(({ column, before }) => [column.name, before])) }
}
