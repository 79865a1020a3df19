import type { PGlite } from '@electric-sql/pglite'

/** Reading back this much of the log after a crash takes a few hundred milliseconds. */
const MAX_LOG_BYTES = 16 * 1024 * 1024

/** A PostgreSQL alone in its process has no checkpointer: its log would grow for ever, and recovery with it. */
export async function checkpointIfDue(database: PGlite): Promise<void> {
  const { rows } = await database.query<{ due: boolean }>(
    `select pg_current_wal_insert_lsn() - redo_lsn > ${MAX_LOG_BYTES} as due from pg_control_checkpoint()`,
  )
  if (rows[0]?.due) await database.exec('checkpoint')
}
