import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Target } from '../../server/db/client.ts'
import type { Database } from '../../server/db/database.ts'
import { migrate } from '../../server/db/migrate.ts'
import { openEmbedded } from '../../server/embedded/postgres.ts'
import { silentLog } from '../../server/log.ts'
import { freshDatabase } from './postgres.ts'
import { layOutDataDir } from './prepared.ts'

/** A migrated database of this kind, with nothing in it. */
export async function emptyDatabase(
  kind: Database['kind'],
): Promise<{ target: Target; remove(): Promise<void> }> {
  const { target, remove } = kind === 'postgres' ? await postgresTarget() : await embeddedTarget()
  await migrate(target)
  return { target, remove }
}

async function postgresTarget() {
  const { url, drop } = await freshDatabase({ migrated: true })
  return { target: { kind: 'postgres', url } as const, remove: drop }
}

async function embeddedTarget() {
  const home = mkdtempSync(join(tmpdir(), 'faultline-database-'))
  const dataDir = join(home, 'data')
  layOutDataDir(dataDir)
  const { socketPath, close } = await openEmbedded(dataDir, silentLog)
  const remove = async () => {
    await close()
    rmSync(home, { recursive: true, force: true })
  }
  return { target: { kind: 'embedded', socketPath } as const, remove }
}
