import { t } from 'elysia'
import { batched } from '../batch.ts'
import type { Board } from '../board/board.ts'
import { STATEMENT_DEADLINE_MS } from '../db/client.ts'
import type { Database } from '../db/database.ts'
import { Refusal } from '../errors.ts'
import type { PushQueue } from '../push/queue.ts'
import { faultOf, faultsOf, Text } from '../wire.ts'
import type { FeedEntry } from './entry.ts'
import { having } from './fields.ts'
import { DefectBody } from './model.ts'
import { builtFor } from './statements.ts'
import { type Outcome, type Row, storeReports } from './store.ts'

export interface Report extends DefectBody {
  reporter: string
  idempotency_key?: string | null
}

const ReportBody = t.Object({ ...DefectBody.properties, reporter: Text('reporter') })
const IdempotencyKey = Text('idempotency-key')

const givenNames = Object.keys(having('given')) as (keyof DefectBody)[]

/** Stores the report, once per Idempotency-Key, and lets the owner know without waiting for it. */
export async function reportDefect(
  { db, board, push }: { db: Database; board: Board; push: PushQueue },
  report: Report,
): Promise<{ entry: FeedEntry; created: boolean }> {
  const row = { id: Bun.randomUUIDv7(), ...acceptedRow(board, report) }
  const outcome = await batchesOf(db)(row)
  if (outcome instanceof Refusal) throw outcome
  if (outcome.created) push.later(outcome.entry)
  return outcome
}

const batchesOf = builtFor((db: Database) =>
  batched<Row, Outcome>(rows => storeReports(db, rows), {
    items: 500,
    bytes: 1024 * 1024,
    sizeOf: row => Buffer.byteLength(row.verbatim),
    atOnce: 2,
    waiting: 10_000,
    patienceMs: STATEMENT_DEADLINE_MS,
  }),
)

/** What is stored of a report; refuses one that breaks a rule, whoever brings it. */
function acceptedRow(board: Board, report: Report): Omit<Row, 'id'> {
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
  return Object.fromEntries(
    givenNames.map(name => [name, normalize[name]?.(report[name]) ?? report[name]]),
  ) as DefectBody
}

const normalize = having('normalize') as Record<string, (given: string | undefined) => unknown>
