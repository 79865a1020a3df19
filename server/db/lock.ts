import { Database as Sqlite } from 'bun:sqlite'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Who holds a data directory, in words for a person and for commands that want to join. */
export interface Holder {
  pid: number
  command: string
  socketPath: string
}

/** Another process holds the directory. */
export class DataDirBusy extends Error {
  constructor(
    readonly dataDir: string,
    readonly holder: Holder | undefined,
  ) {
    const by = holder ? `process ${holder.pid} (${holder.command})` : 'another process'
    super(`${dataDir} is in use by ${by}: stop it first, or choose another DATA_DIR`)
  }
}

export interface Lock {
  announce(holder: Holder): void
  release(): void
}

const POLL_MS = 50

/**
 * An operating system's lock, by way of SQLite's locking of an empty file: it ends with its process,
 * however that ends, so that no stale lock can be left behind and no reused pid can be mistaken.
 */
export async function takeLock(dataDir: string, waitMs: number): Promise<Lock> {
  const deadline = performance.now() + waitMs
  for (;;) {
    const held = tryLock(dataDir)
    if (held) return lockOf(dataDir, held)
    if (performance.now() >= deadline) throw new DataDirBusy(dataDir, readHolder(dataDir))
    await Bun.sleep(POLL_MS)
  }
}

/** The process that holds the directory right now, once it serves. */
export function currentHolder(dataDir: string): Holder | undefined {
  const free = tryLock(dataDir)
  free?.close()
  return free ? undefined : readHolder(dataDir)
}

function lockOf(dataDir: string, held: Sqlite): Lock {
  const file = holderFile(dataDir)
  rmSync(file, { force: true })
  return {
    announce: holder => writeFileSync(file, JSON.stringify(holder), { mode: 0o600 }),
    release() {
      rmSync(file, { force: true })
      held.close()
    },
  }
}

function tryLock(dataDir: string): Sqlite | undefined {
  const lock = new Sqlite(join(dataDir, 'lock'), { create: true })
  try {
    lock.run('begin exclusive')
    return lock
  } catch (error) {
    lock.close()
    if ((error as { code?: string }).code === 'SQLITE_BUSY') return undefined
    throw error
  }
}

function readHolder(dataDir: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(holderFile(dataDir), 'utf8')) as Holder
  } catch {
    return undefined
  }
}

const holderFile = (dataDir: string) => join(dataDir, 'holder.json')
