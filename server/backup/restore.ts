import { sql } from 'drizzle-orm'
import { cutOff } from '../auth/cutoffs.ts'
import type { Database, Queries } from '../db/database.ts'
import { sectionTotals, sessionCutoffs } from '../db/schema.ts'
import { type Line, readBackup, type Summary } from './format.ts'
import { kindNames, kinds, type Totals, total } from './tables.ts'

/** There is something in the database already. */
export class NotEmpty extends Error {}

type OnRows = (done: number, of: number) => void

const BATCH = 1_000
/** For a backup or a restore as a whole. */
export const LONGEST_MS = 6 * 60 * 60_000

/** Reads all of it and touches nothing; throws `BrokenBackup` unless it is whole and sound. */
export async function verifyBackup(path: string, onRows?: OnRows, signal?: AbortSignal): Promise<Summary> {
  let of = 0
  let done = 0
  const lines = readBackup(path, header => {
    of = total(header.rows)
  })
  for (;;) {
    const { value, done: ended } = await lines.next()
    if (ended) return value
    if (++done % BATCH) continue
    signal?.throwIfAborted()
    onRows?.(done, of)
  }
}

/** One transaction into an empty database: all of it, row for row, or nothing. */
export async function restoreBackup(
  db: Database,
  path: string,
  verified: Summary,
  onRows?: OnRows,
): Promise<void> {
  await db.transaction(
    async queries => {
      const endedBefore = await takeEmpty(db, queries)
      const of = total(verified.rows)
      let done = 0
      for await (const batch of batches(path, verified)) {
        await insert(queries, batch)
        done += batch.length
        onRows?.(done, of)
      }
      await confirm(queries, verified.rows)
      // Whose session was ended after the backup was made shall not be let in by it.
      await cutOff(queries, undefined, endedBefore)
    },
    { deadlineMs: LONGEST_MS, once: true },
  )
  await db.write(queries => queries.execute(sql`analyze`)).catch(() => {})
}

/** What the server writes by itself does not count, nor do sessions that were ended: until when is the answer. */
async function takeEmpty(db: Database, queries: Queries): Promise<Date | undefined> {
  const tables = kindNames.map(kind => kinds[kind].table)
  if (db.kind === 'postgres') {
    await queries.execute(sql`lock table ${sql.join(tables, sql`, `)} in share row exclusive mode`)
  }
  await queries.delete(kinds.section.table)
  const ended = await queries.delete(sessionCutoffs).returning({ before: sessionCutoffs.endedBefore })
  const someIn = tables.map(table => sql`exists(select from ${table})`)
  const [found] = await queries.execute<{ some: boolean }>(sql`select ${sql.join(someIn, sql` or `)} as some`)
  if (found?.some !== false) throw new NotEmpty('the database is not empty')
  return ended.map(({ before }) => before).sort((a, b) => b.getTime() - a.getTime())[0]
}

/** Rows of one kind at a time, in the order of the file. */
async function* batches(path: string, verified: Summary): AsyncGenerator<Line[]> {
  const lines = readBackup(path)
  let batch: Line[] = []
  for (;;) {
    const { value, done } = await lines.next()
    if (done) {
      if (value.sha256 !== verified.sha256) throw new Error('the file changed while it was being read')
      break
    }
    if (batch.length === BATCH || (batch[0] && batch[0].kind !== value.kind)) {
      yield batch
      batch = []
    }
    batch.push(value)
  }
  if (batch.length) yield batch
}

async function insert(queries: Queries, batch: Line[]) {
  const { table, columns } = kinds[batch[0]!.kind]
  const names = sql.raw(columns.map(({ column }) => column.name).join(', '))
  const types = sql.raw(columns.map(({ column }) => `${column.name} ${column.getSQLType()}`).join(', '))
  const rows = JSON.stringify(batch.map(({ row }) => row))
  await queries.execute(
    sql`insert into ${table} (${names}) select ${names} from json_to_recordset(${rows}::text::json) as row(${types})`,
  )
}

/** The database's own trigger kept the counts; they have to agree with the rows. */
async function confirm(queries: Queries, rows: Totals) {
  const counts = kindNames.map(
    kind => sql`(select count(*)::float8 from ${kinds[kind].table}) as ${sql.identifier(kinds[kind].plural)}`,
  )
  const [found] = await queries.execute<Totals & { counted: number }>(sql`select ${sql.join(counts, sql`, `)},
    (select coalesce(sum(${sectionTotals.count}), 0)::float8 from ${sectionTotals}) as counted`)
  if (!Bun.deepEquals({ ...found }, { ...rows, counted: rows.defects }))
    throw new Error('the restored rows are not those of the backup; nothing was kept')
}
