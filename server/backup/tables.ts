import { getTableColumns } from 'drizzle-orm'
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core'
import {
  defects,
  projectAliases,
  projects,
  pushSubscriptions,
  sections,
  sessionCutoffs,
} from '../db/schema.ts'
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

const columnsOf = (table: PgTable, since = 1): BackupColumn[] =>
  Object.values<AnyPgColumn>(getTableColumns(table)).map(column => ({ column, since, before: null }))

const FIRST = { since: 1, before: null }

/**
 * What a backup holds, under the name that a line has for it, in the order of the file: what a row refers to stands
 * before it.
 */
export const kinds = {
  project: { table: projects, columns: columnsOf(projects), plural: 'projects', since: 1 },
  alias: { table: projectAliases, columns: columnsOf(projectAliases, 2), plural: 'aliases', since: 2 },
  section: { table: sections, columns: columnsOf(sections, 2), plural: 'sections', since: 2 },
  defect: {
    table: defects,
    columns: storedFields.map(([, { column, backup }]): BackupColumn => ({ column, ...FIRST, ...backup })),
    plural: 'defects',
    since: 1,
  },
  device: {
    table: pushSubscriptions,
    columns: columnsOf(pushSubscriptions),
    plural: 'devices',
    since: 1,
  },
  cutoff: { table: sessionCutoffs, columns: columnsOf(sessionCutoffs, 2), plural: 'cutoffs', since: 2 },
} as const
export type Kind = keyof typeof kinds
export const kindNames = Object.keys(kinds) as Kind[]

/** How many rows of each kind. */
export type Totals = Record<(typeof kinds)[Kind]['plural'], number>

export const noRows = (): Totals =>
  Object.fromEntries(kindNames.map(kind => [kinds[kind].plural, 0])) as Totals

export const total = (rows: Totals) => Object.values(rows).reduce((sum, rows) => sum + rows, 0)

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
