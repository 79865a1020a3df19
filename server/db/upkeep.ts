import { is, sql } from 'drizzle-orm'
import { PgTable } from 'drizzle-orm/pg-core'
import type { Log } from '../log.ts'
import type { Database } from './database.ts'
import * as schema from './schema.ts'

const CHECK_MS = 60_000
const GROWTH = 1.2
const FEW = 500

/**
 * The embedded database has no autovacuum. Without statistics the planner sorts a whole section for
 * fifty entries, and without vacuum the counters leave a dead row behind with every report.
 */
export function startUpkeep(db: Database, log: Log): { stop(): void } {
  let maintainedAt: number | undefined
  let stopped = false

  async function maintainIfDue() {
    const filed = await defectsFiled(db)
    if (maintainedAt !== undefined && filed < maintainedAt * GROWTH + FEW) return
    await maintain(db)
    maintainedAt = filed
  }

  const quietly = () =>
    maintainIfDue().catch(error => stopped || log.warn('upkeep has to wait', { reason: error.message }))
  const timers = [setTimeout(quietly, 1_000), setInterval(quietly, CHECK_MS)]
  return {
    stop() {
      stopped = true
      timers.forEach(clearTimeout)
    },
  }
}

export async function maintain(db: Database): Promise<void> {
  const { sectionTotals, sectionDays, projectTotals, projectDays } = schema
  const counters = [sectionTotals, sectionDays, projectTotals, projectDays]
  await db.write(queries => queries.execute(sql`analyze ${listed(Object.values(schema))}`))
  await db.write(queries => queries.execute(sql`vacuum ${listed(counters)}`))
}

/** Ours alone: PostgreSQL's own tables would take twenty times as long, and meanwhile everybody waits. */
const listed = (tables: unknown[]) =>
  sql.join(
    tables.filter(table => is(table, PgTable)),
    sql`, `,
  )

async function defectsFiled(db: Database): Promise<number> {
  const [row] = await db.read(queries =>
    queries.execute<{ filed: number }>(
      sql`select coalesce(sum(count), 0)::float8 as filed from ${schema.sectionTotals}`,
    ),
  )
  return Number(row?.filed ?? 0)
}
