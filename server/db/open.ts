import type { DataConfig } from '../config/read.ts'

export { DataDirForeign, refuseNetwork } from '../embedded/data-dir.ts'

import { DataDirBusy } from '../embedded/lock.ts'
import { type EmbeddedOptions, findRunning, openEmbedded } from '../embedded/postgres.ts'
import { DatabaseUnavailable } from '../errors.ts'
import { inWords } from '../file-fault.ts'
import type { Log } from '../log.ts'
import type { Target } from './client.ts'
import { connect, type Database } from './database.ts'
import { migrate, pendingMigrations, SchemaTooOld } from './migrate.ts'

export interface Opened {
  target: Target
  /** this process holds the embedded database's directory */
  here: boolean
  /** lets go of what opening took: the embedded database, when this process holds it */
  close(): Promise<void>
}

const BUSY_MS = 100

export interface OpenOptions extends EmbeddedOptions {
  /** join the embedded database of a running server, never open its directory */
  joinOnly?: boolean
}

/** DATABASE_URL, or the socket of a running server, or the embedded database opened here for a moment. */
export async function openTarget(config: DataConfig, log: Log, options: OpenOptions = {}): Promise<Opened> {
  if (config.databaseUrl) {
    const { databaseUrl: url, pooled, poolSize } = config
    const target: Target = { kind: 'postgres', url, pooled, poolSize }
    return { target, here: false, close: async () => {} }
  }
  const deadline = performance.now() + (options.waitMs ?? 0)
  for (;;) {
    const running = findRunning(config.dataDir)
    if (running) {
      return {
        target: { kind: 'embedded', socketPath: running.socketPath },
        here: false,
        close: async () => {},
      }
    }
    if (options.joinOnly) throw new DatabaseUnavailable(`no server is running on ${config.dataDir}`)
    try {
      return await openHere(config, log, { ...options, waitMs: BUSY_MS, alone: true })
    } catch (error) {
      // Another command has it for a moment, or a server is just starting: join that one then.
      if (!(error instanceof DataDirBusy) || performance.now() >= deadline) throw error
    }
  }
}

/** The server's way: it never joins another's embedded database. */
export async function openHere(config: DataConfig, log: Log, options: OpenOptions = {}): Promise<Opened> {
  if (config.databaseUrl) return openTarget(config, log, options)
  const embedded = await openEmbedded(config.dataDir, log, options).catch(inWords(config.dataDir))
  const target: Target = { kind: 'embedded', socketPath: embedded.socketPath }
  return { target, here: true, close: () => embedded.close() }
}

/** What a command needs: a database whose schema is this version's. */
export async function openDatabase(
  config: DataConfig,
  log: Log,
  options: OpenOptions = {},
): Promise<Database> {
  const opened = await openTarget(config, log, options)
  try {
    if (opened.here) await migrate(opened.target)
    else if ((await pendingMigrations(opened.target)).length) throw new SchemaTooOld()
  } catch (error) {
    await opened.close()
    throw error
  }
  return connect(opened.target, opened.close)
}
