import { and, eq, type SQL, sql } from 'drizzle-orm'
import { t } from 'elysia'
import type { Board } from '../board/board.ts'
import type { Database, Queries } from '../db/database.ts'
import { sqlState } from '../db/faults.ts'
import { defects, projects } from '../db/schema.ts'
import { Refusal } from '../errors.ts'
import type { PushQueue } from '../push/queue.ts'
import { faultOf, faultsOf, Text } from '../wire.ts'
import { entryColumns, type FeedEntry, toEntry } from './entry.ts'
import { columns, having, propertyOf, storedFields } from './fields.ts'
import { DefectBody } from './model.ts'
import { perClient } from './statements.ts'

export interface Report extends DefectBody {
  reporter: string
  idempotency_key?: string | null
}

/** A report as it is stored. */
type Row = DefectBody & { reporter: string; idempotency_key: string | null }

const ReportBody = t.Object({ ...DefectBody.properties, reporter: Text('reporter') })
const IdempotencyKey = Text('idempotency-key')

const FOREIGN_KEY_VIOLATION = '23503'
const givenNames = Object.keys(having('given')) as (keyof DefectBody)[]

/** Stores the report, once per Idempotency-Key, and lets the owner know without waiting for it. */
export async function reportDefect(
  { db, board, push }: { db: Database; board: Board; push: PushQueue },
  report: Report,
): Promise<{ entry: FeedEntry; created: boolean }> {
  const row = acceptedRow(board, report)
  const values = { id: Bun.randomUUIDv7(), ...row }
  const stored = await db
    .write(
      async (queries, tries) => {
        const [inserted] = await insertion(queries).execute(values)
        // An earlier try may have stored it, and its answer was lost.
        return inserted ?? (tries > 1 ? confirmStored(queries, eq(defects.id, values.id)) : undefined)
      },
      { repeatable: true },
    )
    .catch(unknownProject)
  if (!stored) return { entry: await sameReport(db, row), created: false }
  const entry = toEntry(stored)
  push.later(entry)
  return { entry, created: true }
}

/** What is stored of a report; refuses one that breaks a rule, whoever brings it. */
function acceptedRow(board: Board, report: Report): Row {
  const key = report.idempotency_key ?? null
  const keyFault = key === null ? undefined : faultOf(IdempotencyKey, key)
  if (keyFault) throw new Refusal('invalid_header', [{ field: 'Idempotency-Key', message: keyFault }])
  const faults = faultsOf(ReportBody, report)
  if (!faults.some(({ field }) => field === 'section_id') && !board.sections.has(report.section_id)) {
    faults.push({ field: 'section_id', message: 'is not a section of the board' })
  }
  if (faults.length) throw new Refusal('invalid_body', faults)
  return { ...normalized(report), reporter: report.reporter, idempotency_key: key }
}

function normalized(report: DefectBody): DefectBody {
  const normalize = having('normalize') as Record<string, (given: string | undefined) => unknown>
  return Object.fromEntries(
    givenNames.map(name => [name, normalize[name]?.(report[name]) ?? report[name]]),
  ) as DefectBody
}

const insertion = perClient(queries => {
  const inserted = storedFields.filter(([, { given, column }]) => given || !column.hasDefault)
  const values = inserted.map(([name, { column }]) => [propertyOf(column), sql.placeholder(name)])
  const filed = queries
    .$with('filed')
    .as(queries.insert(defects).values(Object.fromEntries(values)).onConflictDoNothing().returning())
  return queries
    .with(filed)
    .select(columnsFrom(filed))
    .from(filed)
    .innerJoin(projects, eq(projects.id, filed.projectId))
    .prepare('report')
})

/** The columns of an entry, those of the table taken from the rows that were just inserted. */
function columnsFrom(filed: object): typeof entryColumns {
  const own = filed as Record<string, unknown>
  const found = Object.entries(entryColumns).map(([name, column]) => [
    name,
    own[propertyOf(column) ?? ''] ?? column,
  ])
  return Object.fromEntries(found)
}

function unknownProject(error: unknown): never {
  if (sqlState(error) !== FOREIGN_KEY_VIOLATION) throw error
  throw new Refusal('unknown_project', [{ field: 'project_id', message: 'is not an existing project' }])
}

/** A stored report is confirmed by a write: where a commit waits for a standby, so does its confirmation. */
async function confirmStored(queries: Queries, which: SQL | undefined) {
  await queries
    .update(defects)
    .set({ id: sql`${defects.id}` })
    .where(which)
  const [stored] = await queries
    .select(columns)
    .from(defects)
    .innerJoin(projects, eq(projects.id, defects.projectId))
    .where(which)
  return stored
}

/** The report that was stored under this key, if it says the same. */
async function sameReport(db: Database, row: Row): Promise<FeedEntry> {
  const underKey = and(
    eq(defects.reporter, row.reporter),
    eq(defects.idempotencyKey, row.idempotency_key ?? ''),
  )
  const stored = await db.write(queries => confirmStored(queries, underKey), { repeatable: true })
  if (!stored || givenNames.some(name => stored[name] !== row[name])) {
    const message = 'was already used for a different report'
    throw new Refusal('idempotency_key_reused', [{ field: 'Idempotency-Key', message }])
  }
  return toEntry(stored)
}
