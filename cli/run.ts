import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { environment } from '../server/config/env-file.ts'
import type { DataConfig } from '../server/config/read.ts'
import type { Env } from '../server/config/settings.ts'
import type { Database } from '../server/db/database.ts'
import { type Opened, type OpenOptions, openDatabase, openTarget } from '../server/db/open.ts'
import { createLog, type Log } from '../server/log.ts'
import { explain } from './terminal/explain.ts'
import { exit, Failure } from './terminal/faults.ts'
import { oneLine, type Paint, paints } from './terminal/print.ts'

/** What a command meets: its settings, where its words go, and when to stop. */
export interface Io {
  env: Env
  json: boolean
  /** standard output is a terminal */
  interactive: boolean
  /** columns of that terminal; endless when the output goes elsewhere */
  screen: number
  paint: Paint
  /** data, on standard output; the caller has cleaned it */
  print(line: string): void
  /** messages, on standard error */
  say(message: string): void
  /** runs when the command ends, in whatever way */
  atEnd(undo: () => unknown): void
  stopped: AbortSignal
}

interface GlobalOptions {
  envFile?: string
  json?: boolean
  color?: boolean
}

interface RunOptions {
  /** the command answers SIGINT and SIGTERM itself */
  ownSignals?: boolean
  /** take what is missing from a demo that runs on the same directory */
  besideDemo?: boolean
}

const UNDO_MS = 3_000

/** Runs one command to its exit status. Ctrl-C and a closed pipe end it in order too. */
export async function run(
  command: Command,
  work: (io: Io) => Promise<unknown>,
  { ownSignals = false, besideDemo = true }: RunOptions = {},
): Promise<never> {
  const undos: (() => unknown)[] = []
  const stop = new AbortController()
  const cut = new Promise<number>(resolve => {
    const end = (code: number) => () => {
      stop.abort()
      resolve(code)
    }
    if (!ownSignals) {
      process.once('SIGINT', end(exit.interrupted))
      process.once('SIGTERM', end(exit.terminated))
    }
    process.stdout.on('error', end(exit.ok))
    process.stderr.on('error', () => {})
  })
  let code: unknown
  let debug = false
  try {
    const options = command.optsWithGlobals<GlobalOptions>()
    const env = environment(options.envFile, besideDemo)
    const io = createIo(options, env, stop.signal, undo => undos.push(undo))
    debug = io.env.LOG_LEVEL === 'debug'
    code = await Promise.race([work(io), cut])
  } catch (error) {
    const { lines, exitCode } = explain(error, debug)
    for (const line of lines) say(line)
    code = exitCode
  }
  for (const undo of undos.reverse()) await atMost(UNDO_MS, undo)
  await flushed()
  process.exit(typeof code === 'number' ? code : exit.ok)
}

function createIo(options: GlobalOptions, env: Env, stopped: AbortSignal, atEnd: Io['atEnd']): Io {
  const interactive = process.stdout.isTTY === true
  const plain = options.color === false || Boolean(process.env.NO_COLOR) || process.env.TERM === 'dumb'
  return {
    env,
    json: options.json === true,
    interactive,
    screen: interactive ? process.stdout.columns || 80 : Number.POSITIVE_INFINITY,
    paint: paints(interactive && !plain),
    print: line => void process.stdout.write(`${line}\n`),
    say,
    atEnd,
    stopped,
  }
}

const say = (message: string) => void process.stderr.write(`${message.split('\n').map(oneLine).join('\n')}\n`)

async function atMost(ms: number, work: () => unknown) {
  let timer: Timer | undefined
  const late = new Promise(resolve => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([Promise.resolve().then(work), late]).catch(() => {})
  clearTimeout(timer)
}

/** Exiting throws away what a slow reader has not taken yet; only the end of the stream waits for it. */
const flushed = () =>
  new Promise<void>(resolve => {
    if (process.stdout.errored) resolve()
    process.stdout.once('error', () => resolve())
    process.stdout.end(() => resolve())
  })

/** A one-shot command's log: only what went wrong, unless somebody asks for more. */
function commandLog(io: Io, config: DataConfig): Log {
  return createLog({ ...config.log, level: io.env.LOG_LEVEL ? config.log.level : 'warn' })
}

/** How long to wait for another command that has the embedded database open. */
const BUSY_MS = 10_000

/** A database whatever its schema, let go of when the command ends. */
export async function openAsItIs(io: Io, config: DataConfig): Promise<Opened> {
  const opened = await openTarget(config, commandLog(io, config), { waitMs: BUSY_MS })
  io.atEnd(() => opened.close())
  return opened
}

/** A database with this version's schema, let go of when the command ends. */
export async function open(io: Io, config: DataConfig, options: OpenOptions = {}): Promise<Database> {
  if (!config.databaseUrl && !options.joinOnly && !existsSync(config.dataDir)) {
    const mend = 'start `faultline serve` or `faultline demo` there, or set DATA_DIR or DATABASE_URL'
    throw new Failure(`there is no database in ${config.dataDir} yet: ${mend}`, exit.unreachable)
  }
  const db = await openDatabase(config, commandLog(io, config), { waitMs: BUSY_MS, ...options })
  io.atEnd(() => db.close())
  return db
}
