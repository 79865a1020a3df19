import { setTimeout as pause } from 'node:timers/promises'
import { assets } from './assets.ts'
import { createCutoffs, followCutoffs } from './auth/cutoffs.ts'
import { createOidc } from './auth/oidc.ts'
import { createSessions } from './auth/session.ts'
import { loadBoardBeside } from './board/beside.ts'
import { type Board, BoardFaults } from './board/board.ts'
import { ConfigFaults, printed } from './config/faults.ts'
import type { Config } from './config/read.ts'
import { availableAfter, connect, type Database } from './db/database.ts'
import { migrate } from './db/migrate.ts'
import { type Opened, openHere } from './db/open.ts'
import { startUpkeep } from './db/upkeep.ts'
import { rememberSections, withMemory } from './defects/sections.ts'
import { DatabaseUnavailable } from './errors.ts'
import { createApp, type HttpApp } from './http/app.ts'
import { createRenderer } from './http/document.ts'
import { readBundle } from './http/files.ts'
import { type Listening, listen } from './listen.ts'
import type { AdjustableLog, Level, Log } from './log.ts'
import { createServiceManager } from './notify.ts'
import { createPushQueue } from './push/queue.ts'

export interface Running {
  /** where it listens, once it does */
  readonly url: string | undefined
  /** Settles when the database is migrated and the first request can be answered. */
  ready: Promise<void>
  /** Takes the board as the file has it now, and asks the provider anew. A faulty board changes nothing: it throws. */
  reload(boardFile?: string): Promise<void>
  /** Says that it goes, and serves on for DRAIN_SECONDS, or until `hurry`. */
  drain(hurry: AbortSignal): Promise<void>
  /** Stops listening, finishes what is under way, sends pending pushes, closes the database. */
  stop(): Promise<void>
}

export interface StartOptions {
  /** The server cannot go on: the embedded database died, or the schema is not for us. */
  onFatal?: (error: Error) => void
}

const REQUESTS_GRACE_MS = 8_000
const PUSH_GRACE_MS = 5_000
const RETRY_MS = 500
const LOCK_WAIT_MS = 5_000

/** configuration → database → push queue → app → listen */
export async function start(
  config: Config,
  log: Log,
  { onFatal = () => {} }: StartOptions = {},
): Promise<Running> {
  const reading = readBoard(config.boardFile, log)
  const opening = openHere(config, log, { waitMs: LOCK_WAIT_MS, onFailure: onFatal })
  const bundle = readBundle(assets.web)
  await Promise.allSettled([opening, reading])
  let board = await reading.catch(async fault => {
    await opening.then(({ close }) => close()).catch(() => {})
    throw fault
  })
  const opened = await opening
  const ready = Promise.withResolvers<void>()
  const direct = connect(opened.target, opened.close)
  const db = availableAfter(ready.promise, direct)
  const push = createPushQueue({ config, db, board: () => board, log })
  const cutoffs = createCutoffs(db)
  const shared = { config, db, push, log, sessions: createSessions(config, cutoffs) }
  const renderPage = createRenderer(bundle.template)
  const build = () => createApp({ ...shared, board, renderPage, oidc: createOidc(config) }, bundle)
  let app = build()
  /** replaced, with requests that were under way at that moment */
  let former: HttpApp[] = []
  const show = (next: Board) => {
    board = next
    former = [app, ...former].filter(one => one.underWay() > 0)
    app = build()
  }
  const underWay = () => [app, ...former].reduce((sum, one) => sum + one.underWay(), 0)
  const handle = (request: Request) => app.handle(request)

  let server: Listening | undefined
  try {
    // Who shares a port gets its part of the requests at once, and others are there to answer until it can.
    if (!config.reusePort) server = await listen(config, handle, log)
  } catch (error) {
    await db.close()
    throw error
  }

  const stopping = new AbortController()
  let upkeep: { stop(): void } | undefined
  let following: { stop(): void } | undefined
  const becameReady = bringUp(opened, log, stopping.signal).then(async () => {
    if (stopping.signal.aborted) return
    const before = board
    const after = await remembered(direct, before, log)
    if (board === before && after.retired.size) show(after)
    ready.resolve()
    // Who comes before they are known asks for them, and is refused while they cannot be had.
    await cutoffs.read().catch(() => {})
    following = followCutoffs(cutoffs)
    server ??= await listen(config, handle, log)
    if (db.kind === 'embedded') upkeep = startUpkeep(db, log)
    log.info('ready', { url: config.publicUrl, database: db.kind })
  })
  becameReady.catch(onFatal)
  if (!config.vapid) log.info('push is off: VAPID_PUBLIC_KEY is not set')

  return {
    get url() {
      return server?.url
    },
    ready: becameReady,
    async reload(boardFile) {
      show(await remembered(db, await readBoard(boardFile, log), log))
    },
    async drain(hurry) {
      app.drain()
      await pause(config.drainSeconds * 1000, undefined, { signal: hurry }).catch(() => {})
    },
    async stop() {
      app.drain()
      stopping.abort()
      upkeep?.stop()
      following?.stop()
      server?.stop()
      await until(() => (server?.pendingRequests ?? 0) + underWay() === 0, REQUESTS_GRACE_MS)
      await push.drain(PUSH_GRACE_MS)
      await server?.stop(true)
      await db.close()
    },
  }
}

async function readBoard(file: string | undefined, log: Log): Promise<Board> {
  const board = await loadBoardBeside(file)
  for (const { harmless, ...change } of board.warnings)
    log[harmless ? 'info' : 'warn']('the drawing was changed', change)
  return board
}

/** The board with those sections that have left it: without their names where the database cannot tell them now. */
async function remembered(db: Database, board: Board, log: Log): Promise<Board> {
  const quietly = (error: Error) => log.warn('sections could not be written down', { reason: error.message })
  await rememberSections(db, board).catch(quietly)
  return withMemory(db, board).catch(() => board)
}

/** Migrates as soon as the database answers; until then the server says 503. */
async function bringUp(opened: Opened, log: Log, stopping: AbortSignal): Promise<void> {
  let said = false
  while (!stopping.aborted) {
    try {
      const applied = await migrate(opened.target)
      if (applied.length) log.info('migrated', { migrations: applied })
      return
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error
      if (!said) log.warn('waiting for the database', { reason: error.message })
      said = true
      await Bun.sleep(RETRY_MS)
    }
  }
}

async function until(holds: () => boolean, mostMs: number): Promise<void> {
  const end = performance.now() + mostMs
  while (!holds() && performance.now() < end) await Bun.sleep(10)
}

export interface Reread {
  boardFile?: string
  level: Level
  /** settings that have changed and are read at the start alone */
  needRestart: string[]
}

/** The server as a process: until a signal or a fault ends it. With `reread` SIGHUP reloads. Answers the exit status. */
export async function serveUntilStopped(
  config: Config,
  log: AdjustableLog,
  reread?: () => Reread,
): Promise<number> {
  process.on('unhandledRejection', reason => {
    log.error('a promise was left to fail', {
      error: reason instanceof Error ? reason.stack : String(reason),
    })
  })
  const ended = Promise.withResolvers<Error | NodeJS.Signals>()
  const started = Promise.withResolvers<Running>()
  let isRunning = false
  let isReady = false
  let asked = false
  let stopping = false
  let reloading = Promise.resolve()
  const hurry = new AbortController()
  const stop = (signal: NodeJS.Signals) => {
    if (stopping || (asked && !isRunning)) process.exit(1)
    if (asked) hurry.abort()
    asked = true
    ended.resolve(signal)
  }
  // Before anything that takes time: a signal that nobody awaits ends the process, or as PID 1 is lost.
  process.on('SIGTERM', stop).on('SIGINT', stop)
  process.on('SIGHUP', signal => {
    if (!reread) return stop(signal)
    if (asked) return
    if (isReady) manager.reloading()
    reloading = Promise.all([started.promise, reloading])
      .then(([running]) => reload(running, log, reread))
      .then(() => void (isReady && !asked && sayReady()))
  })

  const manager = createServiceManager(process.env, log)
  manager.status('waiting for the database')
  const sayReady = () => manager.ready(`ready at ${config.publicUrl}`)
  const becameReady = () => {
    isReady = !asked
    if (isReady) sayReady()
  }
  const running = await start(config, log, { onFatal: ended.resolve }).catch(error => {
    if (!asked) throw error
  })
  if (!running) return 0
  isRunning = true
  started.resolve(running)
  running.ready.then(becameReady, () => {})

  const cause = await ended.promise
  const fault = cause instanceof Error ? cause : undefined
  asked = true
  if (cause === 'SIGTERM' && config.drainSeconds && isReady) {
    log.info('draining', { seconds: config.drainSeconds })
    manager.stopping(`draining for ${config.drainSeconds} s`)
    await running.drain(hurry.signal)
  }
  stopping = true
  log.info(fault ? 'stopping after a fault' : 'stopping')
  manager.stopping('stopping')
  await running.stop()
  if (fault) throw fault
  return 0
}

/** All of it or nothing: what is faulty leaves everything as it was. */
async function reload(running: Running, log: AdjustableLog, reread: () => Reread): Promise<void> {
  try {
    const { boardFile, level, needRestart } = reread()
    await running.reload(boardFile)
    log.setLevel(level)
    log.info('reloaded')
    if (needRestart.length) log.warn('settings have changed that need a restart', { settings: needRestart })
  } catch (error) {
    log.error('not reloaded, all stays as it was', { faults: faultsOf(error as Error) })
  }
}

function faultsOf(error: Error): string[] {
  if (error instanceof BoardFaults) return error.faults
  return error instanceof ConfigFaults ? error.faults.map(printed) : [error.message]
}
