import { existsSync, realpathSync, rmSync } from 'node:fs'
import { assets } from '../assets.ts'
import type { Log } from '../log.ts'
import { ensureCluster, ownDirectory, refuseForeign, refuseNetwork, socketPathFor } from './data-dir.ts'
import { acquireLock, currentHolder, type Holder } from './lock.ts'

export type Embedded = Awaited<ReturnType<typeof openEmbedded>>

export interface EmbeddedOptions {
  /** nobody may join: it is open for a moment only */
  alone?: boolean
  /** how long to wait for another process to let go of the directory */
  waitMs?: number
  /** the database died under us */
  onFailure?: (error: Error) => void
}

/** What the worker is told, and what it tells. */
export type ToWorker = { open: { cluster: string; socketPath: string } } | 'close' | 'syncs'
export type FromWorker =
  | 'open'
  | 'closed'
  | { syncs: number }
  | { failed: string }
  | { log: { level: 'debug' | 'warn'; text: string } }

const OPEN_MS = 60_000
const CLOSE_MS = 2_000
/** On a busy machine a thread takes its time to end, and the lock stays until it has. */
const END_MS = 5_000

/** PostgreSQL in a worker, behind a unix socket in its directory, held by one process at a time. */
export async function openEmbedded(dataDir: string, log: Log, options: EmbeddedOptions = {}) {
  refuseForeign(dataDir)
  refuseNetwork(dataDir)
  const directory = ownDirectory(dataDir)
  const lock = await acquireLock(directory, options.waitMs ?? 0)
  const worker = startWorker(log, options.onFailure)
  try {
    const cluster = await ensureCluster(directory)
    const socketPath = socketPathFor(directory)
    // A killed server leaves its socket behind.
    rmSync(socketPath, { force: true })
    await worker.ask({ open: { cluster, socketPath } }, OPEN_MS)
    if (!options.alone) lock.announce(socketPath)
    return {
      socketPath,
      /** How often something was forced to the disk so far. */
      async syncs(): Promise<number> {
        const answer = await worker.ask('syncs', OPEN_MS)
        return typeof answer === 'object' && 'syncs' in answer ? answer.syncs : Number.NaN
      },
      async close(): Promise<void> {
        await worker
          .ask('close', CLOSE_MS)
          .catch(error => log.warn('closing the database', { reason: error.message }))
        // A thread that might still write keeps the lock, until the process ends.
        if (!(await worker.end())) return log.warn('the database did not stop')
        rmSync(socketPath, { force: true })
        lock.release()
      },
    }
  } catch (error) {
    if (await worker.end()) lock.release()
    throw error
  }
}

/** The live server on this directory, if there is one that may be joined. */
export function findRunning(dataDir: string): Required<Holder> | undefined {
  if (!existsSync(dataDir)) return undefined
  const { pid, command, socketPath } = currentHolder(realpathSync(dataDir)) ?? {}
  return pid && command && socketPath ? { pid, command, socketPath } : undefined
}

function startWorker(log: Log, onFailure = failureIn(log)) {
  const worker = new Worker(assets.databaseWorker)
  const ended = new Promise<true>(resolve => worker.addEventListener('close', () => resolve(true)))
  let waiting: PromiseWithResolvers<FromWorker> | undefined
  let done = false

  function fail(reason: string) {
    const error = new Error(`the embedded database stopped: ${reason}`)
    if (waiting) waiting.reject(error)
    else if (!done) onFailure(error)
    done = true
  }
  worker.onerror = event => fail(event.message)
  void ended.then(() => done || fail('its thread ended'))
  worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
    if (typeof data === 'object' && 'log' in data) log[data.log.level](`database: ${data.log.text}`)
    else if (typeof data === 'object' && 'failed' in data) fail(data.failed)
    else waiting?.resolve(data)
  }

  return {
    async ask(message: ToWorker, ms: number): Promise<FromWorker> {
      const answer = Promise.withResolvers<FromWorker>()
      waiting = answer
      const late = () => answer.reject(new Error(`the embedded database did not answer in ${ms} ms`))
      const timer = setTimeout(late, ms)
      worker.postMessage(message)
      try {
        return await answer.promise
      } finally {
        clearTimeout(timer)
        waiting = undefined
      }
    },
    /** True when its thread is gone. */
    end(): Promise<boolean> {
      done = true
      worker.terminate()
      return Promise.race([ended, Bun.sleep(END_MS).then(() => false)])
    },
  }
}

const failureIn = (log: Log) => (error: Error) =>
  log.error('the embedded database failed', { error: error.message })
