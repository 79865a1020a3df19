import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { migrate } from '../../server/db/migrate.ts'
import { openEmbedded } from '../../server/embedded/postgres.ts'
import { silentLog } from '../../server/log.ts'

/** An embedded database that was migrated once, to be copied by all tests of a run. */
export async function prepareDataDir(dataDir: string): Promise<void> {
  const { socketPath, close } = await openEmbedded(dataDir, silentLog)
  await migrate({ kind: 'embedded', socketPath })
  await close()
}

/** A migrated database with nothing in it, where the run has one; else the product lays one out. */
export function layOutDataDir(dataDir: string): void {
  const prepared = process.env.FAULTLINE_TEST_DATA_DIR
  if (!prepared) return
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  cpSync(join(prepared, 'pgdata'), join(dataDir, 'pgdata'), { recursive: true })
}
