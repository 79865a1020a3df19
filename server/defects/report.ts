import { and, eq, sql } from 'drizzle-orm'
import type { Board } from '../board/board.ts'
import type { Database } from '../db/database.ts'
import { sqlState } from '../db/faults.ts'
import { defects, projects } from '../db/schema.ts'
import { Refusal } from '../errors.ts'
import type { PushQueue } from '../push/queue.ts'
import { trim } from '../text.ts'
import { entryFields, toEntry } from './feed.ts'
import type { FeedEntry } from './model.ts'
import { perClient } from './statements.ts'

export interface Report {
  sectionId: string
  projectId: string
  verbatim: string
  reporter: string
  idempotencyKey?: string | null
}

const FOREIGN_KEY_VIOLATION = '23503'

/** Stores the report, once per Idempotency-Key, and lets the owner know without waiting for it. */
export async function reportDefect(
  { db, board, push }: { db: Database; board: Board; push: PushQueue },
  report: Report,
): Promise<{ entry: FeedEntry; created: boolean }> {
  if (!board.sections.has(report.sectionId)) throw unknownSection('invalid_body', 'section_id')
  const row = {
    ...report,
    id: Bun.randomUUIDv7(),
    verbatim: trim(report.verbatim),
    idempotencyKey: report.idempotencyKey ?? null,
  }

  const stored = await db.write(queries => insertion(queries).execute(row)).catch(unknownProject)
  if (!stored[0]) return { entry: await sameReport(db, row), created: false }
  const entry = toEntry(stored[0])
  push.later(entry)
  return { entry, created: true }
}

const insertion = perClient(queries => {
  const given = sql.placeholder
  const filed = queries.$with('filed').as(
    queries
      .insert(defects)
      .values({
        id: given('id'),
        sectionId: given('sectionId'),
        projectId: given('projectId'),
        verbatim: given('verbatim'),
        reporter: given('reporter'),
        idempotencyKey: given('idempotencyKey'),
      })
      .onConflictDoNothing()
      .returning(),
  )
  return queries
    .with(filed)
    .select({
      id: filed.id,
      section_id: filed.sectionId,
      project_id: filed.projectId,
      project_name: projects.name,
      verbatim: filed.verbatim,
      reporter: filed.reporter,
      created_at: filed.createdAt,
    })
    .from(filed)
    .innerJoin(projects, eq(projects.id, filed.projectId))
    .prepare('report')
})

function unknownProject(error: unknown): never {
  if (sqlState(error) !== FOREIGN_KEY_VIOLATION) throw error
  throw new Refusal('unknown_project', [{ field: 'project_id', message: 'is not an existing project' }])
}

export function unknownSection(code: 'invalid_body' | 'invalid_query', field: string) {
  return new Refusal(code, [{ field, message: 'is not a section of the board' }])
}

/** The report that was stored under this key, if it says the same. */
async function sameReport(db: Database, report: Report): Promise<FeedEntry> {
  const [stored] = await db.read(queries =>
    queries
      .select(entryFields)
      .from(defects)
      .innerJoin(projects, eq(projects.id, defects.projectId))
      .where(
        and(eq(defects.reporter, report.reporter), eq(defects.idempotencyKey, report.idempotencyKey ?? '')),
      ),
  )
  const same =
    stored?.section_id === report.sectionId &&
    stored.project_id === report.projectId.toLowerCase() &&
    stored.verbatim === report.verbatim
  if (!same) {
    const message = 'was already used for a different report'
    throw new Refusal('idempotency_key_reused', [{ field: 'Idempotency-Key', message }])
  }
  return toEntry(stored)
}
