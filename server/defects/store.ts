import { inArray, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { type AnyPgColumn, PgDialect } from 'drizzle-orm/pg-core'
import type { Database, Queries } from '../db/database.ts'
import { runPrepared } from '../db/prepared.ts'
import { defects, projectAliases, projects } from '../db/schema.ts'
import { Refusal } from '../errors.ts'
import { entryNames, type FeedEntry, toEntry } from './entry.ts'
import { columns, type FieldName, having, storedFields } from './fields.ts'
import type { DefectBody } from './model.ts'

/** A report as it is stored, under the id that it has before the first try. */
export type Row = DefectBody & { id: string; reporter: string; idempotency_key: string | null }

/** `created`: by this report, and not by an earlier one under the same key. */
export type Outcome = { entry: FeedEntry; created: boolean } | Refusal

type Stored = Record<FieldName, unknown>

/**
 * Stores reports by one statement, each with an outcome of its own. Tried again after a broken connection it finds
 * what the first try stored.
 */
export function storeReports(db: Database, rows: Row[]): Promise<Outcome[]> {
  return db.write(
    async queries => {
      const answers = await run<Answer>(queries, INSERT, rows)
      const filledIn = new Map(answers.map(answer => [answer.id, answer]))
      const left = rows.filter(({ id }) => !filledIn.get(id)?.is_new)
      const known = left.length ? (await run<Stored>(queries, CONFIRM, left)).map(fromDriver) : []
      const moved = await movedProjects(queries, left, known)
      return rows.map(row => {
        const answer = filledIn.get(row.id)
        if (answer?.is_new)
          return { entry: toEntry({ ...row, ...fromDriver(answer) } as Stored), created: true }
        const meant = { ...row, project_id: moved.get(row.project_id) ?? row.project_id }
        return repeated(meant, known) ?? refusalOf(row, answer)
      })
    },
    { repeatable: true },
  )
}

/** Met by an earlier try, or by an earlier report under the same key. */
function repeated(row: Row, known: Stored[]): Outcome | undefined {
  const own = known.find(({ id }) => id === row.id)
  if (own) return { entry: toEntry(own), created: true }
  const earlier = row.idempotency_key !== null && known.find(stored => sameKey(stored, row))
  if (!earlier) return undefined
  if (givenNames.every(name => earlier[name] === row[name]))
    return { entry: toEntry(earlier), created: false }
  const message = 'was already used for a different report'
  return new Refusal('idempotency_key_reused', [{ field: 'Idempotency-Key', message }])
}

/** Its project is not there; or is being merged into another one, which this report does not wait for. */
function refusalOf(row: Row, answer: Answer | undefined): Refusal {
  if (answer?.project_name == null) return unknownProject()
  if (!answer.is_free) return new Refusal('project_busy')
  throw new Error(`report ${row.id} was neither stored nor met`)
}

/** Where projects went that repeats may still name. */
async function movedProjects(queries: Queries, left: Row[], known: Stored[]): Promise<Map<string, string>> {
  const named = left.filter(row => known.some(stored => sameKey(stored, row))).map(row => row.project_id)
  const gone = named.filter(id => !known.some(stored => stored.project_id === id))
  if (!gone.length) return new Map()
  const aliases = await queries.select().from(projectAliases).where(inArray(projectAliases.id, gone))
  return new Map(aliases.map(({ id, projectId }) => [id, projectId]))
}

const unknownProject = () =>
  new Refusal('unknown_project', [{ field: 'project_id', message: 'is not an existing project' }])

const sameKey = (stored: Stored, row: Row) =>
  stored.reporter === row.reporter && stored.idempotency_key === row.idempotency_key

const givenNames = Object.keys(having('given')) as (keyof DefectBody)[]
const insertedNames = storedFields
  .filter(([, { given, column }]) => given || !column.hasDefault)
  .map(([name]) => name as keyof Row)

/** What the database fills in of a new entry. */
const filledInNames = entryNames.filter(name => !(insertedNames as string[]).includes(name))
type Answer = Stored & { id: string; is_new: boolean; is_free: boolean }

/** Rows travel as one parameter, so that every batch is the same prepared statement. */
const given = (names: FieldName[]) => sql`given as (
  select * from json_to_recordset(${sql.placeholder('rows')}::json) as given(${list(
    names.map(name => sql`${sql.identifier(name)} ${sql.raw(columns[name].getSQLType())}`),
  )}))`

/** In the order of the keys, so that two instances wait for each other in one direction alone. */
const INSERT = prepared(sql`with ${given(insertedNames)}, free as (
  select ${projects.id} from ${projects} where ${projects.id} in (select project_id from given)
  for key share skip locked
), filed as (
  insert into ${defects} (${list(insertedNames.map(name => sql.identifier(columns[name].name)))})
  select ${list(insertedNames.map(name => sql`given.${sql.identifier(name)}`))}
  from given join free on free.id = given.project_id
  order by given.reporter, given.idempotency_key, given.id
  on conflict do nothing returning *
)
select given.id, filed.id is not null as is_new, free.id is not null as is_free,
  ${list(filledInNames.map(name => named(name, 'filed')))}
from given left join ${projects} on ${projects.id} = given.project_id
  left join free on free.id = given.project_id left join filed on filed.id = given.id`)

/** A stored report is confirmed by a write: where a commit waits for a standby, so does its confirmation. */
const CONFIRM = prepared(sql`with ${given(['id', 'reporter', 'idempotency_key'])}, met as (
  select ${defects.id} from ${defects} join given on ${defects.id} = given.id
    or (${defects.reporter} = given.reporter and ${defects.idempotencyKey} = given.idempotency_key)
  order by ${defects.id} for update of ${defects}
)
update ${defects} set id = ${defects.id} from ${projects}
where ${defects.id} in (select id from met) and ${projects.id} = ${defects.projectId}
returning ${list((Object.keys(columns) as FieldName[]).map(name => named(name)))}`)

function named(name: FieldName, own?: string): SQL {
  const column: AnyPgColumn = columns[name]
  const from =
    own && column.table === defects ? sql`${sql.identifier(own)}.${sql.identifier(column.name)}` : column
  return sql`${from} as ${sql.identifier(name)}`
}

function list(items: SQLWrapper[]): SQL {
  return sql.join(items, sql`, `)
}

function prepared(statement: SQL) {
  const query = new PgDialect().sqlToQuery(statement)
  return { getQuery: () => query }
}

const run = <Row>(queries: Queries, statement: typeof INSERT, rows: object[]) =>
  runPrepared<Row>(queries, statement, { rows: JSON.stringify(rows) })

/** The driver gives text for what a column reads as something else. */
function fromDriver(row: Stored): Stored {
  const read = Object.entries(row).map(([name, value]) => {
    const column: AnyPgColumn | undefined = columns[name as FieldName]
    return [name, value === null || !column ? value : column.mapFromDriverValue(value)]
  })
  return Object.fromEntries(read)
}
