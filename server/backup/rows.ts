import { and, asc, inArray, sql } from 'drizzle-orm'
import type { Queries } from '../db/database.ts'
import { defects, projects, sectionTotals } from '../db/schema.ts'
import type { Line } from './format.ts'
import { type Kind, kindNames, kinds, type Row, selection, type Totals, toRow } from './tables.ts'

/** Runs one short statement, inside a snapshot or on its own. */
type Ask = <T>(run: (queries: Queries) => Promise<T>) => Promise<T>

export interface RowPages {
  ask: Ask
  lines(): AsyncGenerator<Line[]>
}

const PAGE = 1_000

/**
 * All rows, a page at a time. Defects are only ever added, and in the order of their creation: those up
 * to the newest one at the start are the whole. A project comes before the first defect that names it,
 * also one that was made since.
 */
export function rowPages(ask: Ask): RowPages {
  const written = new Set<unknown>()

  async function* projectPages(): AsyncGenerator<Line[]> {
    for (let after: Row | undefined; ; ) {
      const page = await ask(queries => projectsAfter(queries, after))
      for (const row of page) written.add(row.id)
      yield page.map(row => ({ kind: 'project', row }))
      if (page.length < PAGE) return
      after = page.at(-1)
    }
  }

  async function missingProjects(page: Row[]): Promise<Line[]> {
    const missing = [...new Set(page.map(row => row.project_id as string))].filter(id => !written.has(id))
    if (!missing.length) return []
    const found = await ask(queries => projectsById(queries, missing))
    for (const row of found) written.add(row.id)
    return found.map(row => ({ kind: 'project', row }))
  }

  async function* defectPages(bound: Row | undefined) {
    for (let after: Row | undefined; bound; ) {
      const page = await ask(queries => defectsBetween(queries, after, bound))
      yield [...(await missingProjects(page)), ...page.map((row): Line => ({ kind: 'defect', row }))]
      after = page.at(-1)
      if (page.length < PAGE) return
    }
  }

  const linesOf = async (kind: Kind): Promise<Line[]> =>
    (await ask(queries => all(queries, kind))).map(row => ({ kind, row }))

  return {
    ask,
    async *lines() {
      const bound = await ask(newestDefect)
      const aliases = await linesOf('alias')
      yield* projectPages()
      yield aliases
      yield await linesOf('section')
      yield* defectPages(bound)
      yield await linesOf('device')
      yield await linesOf('cutoff')
      if ((await linesOf('alias')).length !== aliases.length)
        throw new Error('projects were merged meanwhile: begin again')
    },
  }
}

/** Defects are told by the kept counts: they are not counted row by row. */
export async function countRows(ask: Ask): Promise<Totals> {
  const counts = kindNames.map(kind => {
    const counted =
      kind === 'defect'
        ? sql`(select coalesce(sum(${sectionTotals.count}), 0)::float8 from ${sectionTotals})`
        : sql`(select count(*)::int from ${kinds[kind].table})`
    return sql`${counted} as ${sql.identifier(kinds[kind].plural)}`
  })
  const [counted] = await ask(queries => queries.execute<Totals>(sql`select ${sql.join(counts, sql`, `)}`))
  return { ...counted! }
}

async function newestDefect(queries: Queries): Promise<Row | undefined> {
  const [newest] = await queries
    .select({ created_at: defects.createdAt, id: defects.id })
    .from(defects)
    .orderBy(sql`${defects.createdAt} desc, ${defects.id} desc`)
    .limit(1)
  return newest && toRow(newest)
}

const position = sql`(${defects.createdAt}, ${defects.id})`
const at = ({ created_at, id }: Row) => sql`(${created_at}::timestamptz, ${id}::uuid)`

async function defectsBetween(queries: Queries, after: Row | undefined, bound: Row): Promise<Row[]> {
  const rows = await queries
    .select(selection('defect'))
    .from(defects)
    .where(and(after && sql`${position} > ${at(after)}`, sql`${position} <= ${at(bound)}`))
    .orderBy(asc(defects.createdAt), asc(defects.id))
    .limit(PAGE)
  return rows.map(toRow)
}

async function projectsAfter(queries: Queries, after: Row | undefined): Promise<Row[]> {
  const rows = await queries
    .select(selection('project'))
    .from(projects)
    .where(after && sql`${projects.id} > ${after.id}::uuid`)
    .orderBy(asc(projects.id))
    .limit(PAGE)
  return rows.map(toRow)
}

async function projectsById(queries: Queries, ids: string[]): Promise<Row[]> {
  const rows = await queries.select(selection('project')).from(projects).where(inArray(projects.id, ids))
  return rows.map(toRow)
}

/** Of a kind of which there are few. */
async function all(queries: Queries, kind: Kind): Promise<Row[]> {
  const { table, columns } = kinds[kind]
  const rows = await queries.select(selection(kind)).from(table).orderBy(asc(columns[0]!.column))
  return rows.map(toRow)
}
