import { statSync } from 'node:fs'
import { type Board, loadBoard } from '../../server/board/board.ts'
import { type DataConfig, readDataConfig } from '../../server/config/read.ts'
import type { Database } from '../../server/db/database.ts'
import { type Opened, type OpenOptions, openDatabase, openTarget } from '../../server/db/open.ts'
import { withMemory } from '../../server/defects/sections.ts'
import type { Log } from '../../server/log.ts'
import { exit, Failure } from './faults.ts'
import type { Io } from './io.ts'

/** How long to wait for another command that has the embedded database open. */
const BUSY_MS = 10_000

/** A database whatever its schema, closed when the command ends. */
export async function openAsItIs(io: Io, config = readDataConfig(io.env)): Promise<Opened> {
  const opened = await openTarget(config, commandLog(io, config), { waitMs: BUSY_MS })
  io.atEnd(() => opened.close())
  return opened
}

/** A database with this version's schema, closed when the command ends. */
export async function open(
  io: Io,
  config = readDataConfig(io.env),
  options: OpenOptions = {},
): Promise<Database> {
  if (!config.databaseUrl && !options.joinOnly && !isThere(config.dataDir)) {
    const mend = 'start `faultline serve` or `faultline demo` there, or set DATA_DIR or DATABASE_URL'
    throw new Failure(`there is no database in ${config.dataDir} yet: ${mend}`, exit.unreachable)
  }
  const db = await openDatabase(config, commandLog(io, config), { waitMs: BUSY_MS, ...options })
  io.atEnd(() => db.close())
  return db
}

/** The database, and the board whose defects it holds. */
export async function openWithBoard(io: Io): Promise<{ db: Database; board: Board }> {
  const config = readDataConfig(io.env)
  const board = loadBoard(config.boardFile)
  const db = await open(io, config)
  return { db, board: await withMemory(db, board) }
}

/** Whether there is a directory; a path that leads through a file is a fault of its own. */
export function isThere(dataDir: string): boolean {
  return statSync(dataDir, { throwIfNoEntry: false }) !== undefined
}

/** A one-shot command's log: only what went wrong, unless somebody asks for more. */
function commandLog(io: Io, config: DataConfig): Log {
  return io.log({ ...config.log, level: io.env.LOG_LEVEL ? config.log.level : 'warn' })
}
