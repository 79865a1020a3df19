import type { TOptional, TString } from '@sinclair/typebox'
import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { AnyPgColumn } from 'drizzle-orm/pg-core'
import { t } from 'elysia'
import { type Board, isSectionId } from '../board/board.ts'
import type { Database } from '../db/database.ts'
import { defects, projects, sectionTotals } from '../db/schema.ts'
import type { FieldFault } from '../errors.ts'
import { Text } from '../wire.ts'
import { firstDay, sinceDay } from './statements.ts'

interface Rule {
  /** What its value may be, in a query and on the command line alike. */
  value: TString
  /** How the command line names the value, and what its help says. */
  option: { name?: string; value: string; description: string }
  where(value: unknown): SQL
  /** What an index begins with that has the feed of one such value in order. */
  leads?: AnyPgColumn
  /** The best plan is another for each value, so none is kept. */
  plannedAnew?: true
  /** The value as the statement takes it; without it, the text as it came. */
  parameter?(text: string): unknown
  /** For a value that names something: whether that is there, and what to say when it is not. */
  exists?(context: Context, value: string): Promise<boolean>
  missing?: string
}

interface Context {
  db: Database
  board: Board
}

/**
 * What narrows a feed, each told once: the schema of the query, the condition, the prepared statement, the
 * link to the next page, `follow` and the options of the command line follow from here.
 */
export const narrowings = {
  section: {
    value: t.String({ description: 'Only this section.' }),
    option: { value: 'id', description: 'only this section' },
    leads: defects.sectionId,
    where: id => equals(defects.sectionId, id),
    exists: ({ db, board }, id) => isKnownSection(db, board, id),
    missing: 'is not a section of the board',
  },
  project: {
    value: Text('canonical-uuid', 'Only this project.'),
    option: { value: 'id', description: 'only this project (`faultline projects` lists them)' },
    leads: defects.projectId,
    where: id => equals(defects.projectId, id),
    parameter: id => id.toLowerCase(),
    exists: ({ db }, id) => isProject(db, id),
    missing: 'is not an existing project',
  },
  q: {
    value: Text('search-words', 'Words, or beginnings of words, of which each is in what was reported.'),
    option: { name: 'search', value: 'words', description: 'only what holds words that begin so' },
    plannedAnew: true,
    where: words => sql`(searched_words(searched_text(${defects.verbatim})) @@ searched_for(${words}::text)
      and (length(searched_text(${words}::text)) <= 50 or searched_whole(${defects.verbatim}, ${words}::text)))`,
  },
  since: {
    value: Text('days', 'Today (UTC) and the days before, such as 7d.'),
    option: {
      value: 'days',
      description: 'only today and the days before, such as 7d (days begin at 0:00 UTC)',
    },
    where: days => sinceDay(firstDay(days)),
    parameter: text => Number.parseInt(text, 10),
  },
} satisfies Record<string, Rule>

/**
 * As `=`, but the column still counts for the order. With `=` the plan that PostgreSQL makes for any value
 * reads the index of the whole feed, and all of it where a value is rare.
 */
function equals(column: AnyPgColumn, value: unknown): SQL {
  return sql`${column} = any(array[${value}::${sql.raw(column.getSQLType())}])`
}

export type NarrowingName = keyof typeof narrowings

/** Each value as it stands in a query. */
export type Narrowing = { [N in NarrowingName]?: string }

function given(narrowing: Narrowing): [name: NarrowingName, value: string, rule: Rule][] {
  return (Object.entries(narrowings) as [NarrowingName, Rule][]).flatMap(([name, rule]) => {
    const value = narrowing[name]
    return value === undefined ? [] : [[name, value, rule]]
  })
}

/** The part of a query's schema that these make up. */
export function narrowedBy<N extends NarrowingName>(...names: N[]) {
  const properties = names.map(name => [name, t.Optional(narrowings[name].value)])
  return Object.fromEntries(properties) as { [K in N]: TOptional<TString> }
}

export const narrowingNames = (narrowing: Narrowing) => given(narrowing).map(([name]) => name)

export const narrowingValues = (narrowing: Narrowing): Narrowing =>
  Object.fromEntries(given(narrowing).map(([name, value]) => [name, value]))

export const narrowingParameters = (narrowing: Narrowing): Record<string, unknown> =>
  Object.fromEntries(
    given(narrowing).map(([name, value, { parameter }]) => [name, parameter ? parameter(value) : value]),
  )

/** With a placeholder of its name for each value, or with what `valueFor` puts there. */
export const narrowingCondition = (
  narrowing: Narrowing,
  valueFor: (name: string) => unknown = sql.placeholder,
): SQL | undefined => and(...given(narrowing).map(([name, , { where }]) => where(valueFor(name))))

export const isPlannedAnew = (narrowing: Narrowing) =>
  given(narrowing).some(([, , { plannedAnew }]) => plannedAnew)

/** The first column of the index to read in order, and the name of its value. */
export function leadingColumn(
  narrowing: Narrowing,
): { name: NarrowingName; column: AnyPgColumn } | undefined {
  const [found] = given(narrowing).flatMap(([name, , { leads }]) => (leads ? [{ name, column: leads }] : []))
  return found
}

/** What is asked for and is not there. */
export async function missingValues(context: Context, narrowing: Narrowing): Promise<FieldFault[]> {
  const faults: FieldFault[] = []
  for (const [field, value, { exists, missing = '' }] of given(narrowing)) {
    if (exists && !(await exists(context, value))) faults.push({ field, message: missing })
  }
  return faults
}

/** A section of the board, or one that has left it and still has defects. */
export async function isKnownSection(db: Database, board: Board, id: string): Promise<boolean> {
  return board.sections.has(id) || (isSectionId(id) && (await hasDefects(db, id)))
}

function isProject(db: Database, id: string): Promise<boolean> {
  return db.read(async queries => {
    const found = await queries.select({ id: projects.id }).from(projects).where(eq(projects.id, id))
    return found.length > 0
  })
}

function hasDefects(db: Database, sectionId: string): Promise<boolean> {
  return db.read(async queries => {
    const [row] = await queries
      .select({ id: sectionTotals.sectionId })
      .from(sectionTotals)
      .where(eq(sectionTotals.sectionId, sectionId))
      .limit(1)
    return row !== undefined
  })
}
