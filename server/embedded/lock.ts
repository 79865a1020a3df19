import { Database as Sqlite } from 'bun:sqlite'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Who holds a data directory, in words for a person and for commands that want to join. */
export interface Holder {
  pid: number
  command: string
  /** where a server answers, once it does */
  socketPath?: string
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

/** A lock that is garbage collected is released. */
const heldLocks = new Set<Sqlite>()

const POLL_MS = 50
/** Somebody who only looks who holds the directory is in the way for less than this. */
const LOOK_MS = 200

/**
 * An operating system's lock, by way of SQLite's locking of an empty file: it ends with its process,
 * however that ends, so that no stale lock can be left behind and no reused pid can be mistaken.
 */
export async function acquireLock(dataDir: string, waitMs: number) {
  const deadline = performance.now() + Math.max(waitMs, LOOK_MS)
  for (;;) {
    const held = tryLock(dataDir)
    if (held) return lockOf(dataDir, held)
    if (performance.now() >= deadline) throw new DataDirBusy(dataDir, readHolder(dataDir))
    await Bun.sleep(POLL_MS)
  }
}

/** The process that holds the directory right now. */
export function currentHolder(dataDir: string): Holder | undefined {
  return isHeld(dataDir) ? readHolder(dataDir) : undefined
}

function lockOf(dataDir: string, held: Sqlite) {
  const file = holderFile(dataDir)
  const self: Holder = { pid: process.pid, command: process.argv.slice(0, 3).join(' ') }
  const write = (holder: Holder) => writeFileSync(file, JSON.stringify(holder), { mode: 0o600 })
  write(self)
  heldLocks.add(held)
  return {
    /** Tells commands where to join. */
    announce: (socketPath: string): void => write({ ...self, socketPath }),
    release(): void {
      rmSync(file, { force: true })
      heldLocks.delete(held)
      held.close()
    },
  }
}

function tryLock(dataDir: string): Sqlite | undefined {
  const lock = new Sqlite(lockFile(dataDir), { create: true })
  const held = !isBusy(lock, 'begin exclusive')
  if (held) return lock
  lock.close()
  return undefined
}

/** Looking shares the lock, and leaves nothing behind where there was none. */
function isHeld(dataDir: string): boolean {
  let lock: Sqlite
  try {
    lock = new Sqlite(lockFile(dataDir), { readonly: true })
  } catch {
    return false
  }
  try {
    return isBusy(lock, 'select * from sqlite_master')
  } finally {
    lock.close()
  }
}

function isBusy(lock: Sqlite, statement: string): boolean {
  try {
    lock.run(statement)
    return false
  } catch (error) {
    if ((error as { code?: string }).code === 'SQLITE_BUSY') return true
    lock.close()
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

const lockFile = (dataDir: string) => join(dataDir, 'lock')
const holderFile = (dataDir: string) => join(dataDir, 'holder.json')
