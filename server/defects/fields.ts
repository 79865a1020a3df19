import { getTableColumns } from 'drizzle-orm'
import type { AnyPgColumn } from 'drizzle-orm/pg-core'
import { type TSchema, t } from 'elysia'
import { defects, projects } from '../db/schema.ts'
import { trim } from '../text.ts'
import { Text } from '../wire.ts'

interface Field {
  /** Where it is stored: in the table of defects under this field's name, or in a joined one. */
  column: AnyPgColumn
  /** The rule for what a reporter sends; a field without it is filled in by the server. */
  given?: TSchema
  /** What is sent in the form in which it is stored and compared. */
  normalize?: (text: string) => string
  /** How an entry shows it; a field without it stays inside. */
  shown?: TSchema
  /** The first backup format that has it, when not the first of all, and what a row of an older one gets. */
  backup?: { since: number; before: string | number | boolean | null }
}

const Uuid = t.String({ format: 'uuid' })

/**
 * The fields of a defect, each told once and named as on the wire. The body of a report, the entry, what
 * is read, inserted, compared, backed up and restored all follow from here.
 */
export const fields = {
  id: { column: defects.id, shown: Uuid },
  section_id: {
    column: defects.sectionId,
    given: t.String({ description: 'A section of the board in use.' }),
    shown: t.String(),
  },
  project_id: {
    column: defects.projectId,
    given: Text('canonical-uuid'),
    normalize: (id: string) => id.toLowerCase(),
    shown: Uuid,
  },
  project_name: { column: projects.name, shown: t.String() },
  verbatim: {
    column: defects.verbatim,
    given: Text('verbatim', 'What is wrong, in the words of the reporter; at most 5 000 characters.'),
    normalize: trim,
    shown: t.String(),
  },
  reporter: { column: defects.reporter, shown: t.String() },
  created_at: {
    column: defects.createdAt,
    shown: t.String({ description: 'ISO 8601, UTC, three decimals.' }),
  },
  idempotency_key: { column: defects.idempotencyKey },
} satisfies Record<string, Field>

type Fields = typeof fields
export type FieldName = keyof Fields

/** One property of every field that has it, under the field's name. */
type Having<P extends keyof Field> = {
  [N in FieldName as Fields[N] extends Record<P, unknown> ? N : never]: Fields[N] extends Record<P, infer V>
    ? V
    : never
}

export function having<P extends keyof Field>(property: P): Having<P> {
  const found = Object.entries<Field>(fields).filter(([, field]) => field[property] !== undefined)
  return Object.fromEntries(found.map(([name, field]) => [name, field[property]])) as Having<P>
}

export const columns = having('column')

const ownColumns = Object.entries<AnyPgColumn>(getTableColumns(defects))

/** The property of `defects` that a column is; undefined for a column of another table. */
export const propertyOf = (column: AnyPgColumn) => ownColumns.find(([, own]) => own === column)?.[0]

/** The fields that a row of the table has. */
export const storedFields = Object.entries<Field>(fields).filter(
  ([, { column }]) => propertyOf(column) !== undefined,
)
