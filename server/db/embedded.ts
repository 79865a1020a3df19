import { existsSync, realpathSync, rmSync } from 'node:fs'
import { assets } from '../assets.ts'
import type { Log } from '../log.ts'
import { ensureCluster, ownDirectory, socketPathFor } from './data-dir.ts'
import { currentHolder, type Holder, takeLock } from './lock.ts'

export interface Embedded {
  socketPath: string
  /** how often a commit was forced to the disk so far */
  syncs(): Promise<number>
  close(): Promise<void>
}

export interface EmbeddedOptions {
  /** nobody may join: it is open for a moment only */
  alone?: boolean
  waitMs?: number
  onFailure?: (error: Error) => void
}

/** What the worker is told, and what it tells. */
export type ToWorker = { open: { cluster: string; socketPath: string; files: string } } | 'close' | 'syncs'
export type FromWorker = 'open' | 'closed' | { syncs: number } | { failed: string }

const OPEN_MS = 30_000
const CLOSE_MS = 2_000

/** PostgreSQL in a worker, behind a unix socket in its directory, held by one process at a time. */
export async function openEmbedded(
  dataDir: string,
  log: Log,
  options: EmbeddedOptions = {},
): Promise<Embedded> {
  const directory = ownDirectory(dataDir)
  const lock = await takeLock(directory, options.waitMs ?? 0)
  try {
    const cluster = await ensureCluster(directory)
    const socketPath = socketPathFor(directory)
    // A killed server leaves its socket behind.
    rmSync(socketPath, { force: true })
    const worker = startWorker(
      options.onFailure ?? (error => log.error('the embedded database failed', { error: error.message })),
    )
    await worker.ask({ open: { cluster, socketPath, files: assets.pglite } }, OPEN_MS)
    if (!options.alone) {
      lock.announce({ pid: process.pid, command: process.argv.slice(0, 3).join(' '), socketPath })
    }
    return {
      socketPath,
      async syncs() {
        const answer = await worker.ask('syncs', OPEN_MS)
        return typeof answer === 'object' && 'syncs' in answer ? answer.syncs : Number.NaN
      },
      async close() {
        await worker
          .ask('close', CLOSE_MS)
          .catch(error => log.warn('closing the database', { reason: error.message }))
        worker.end()
        rmSync(socketPath, { force: true })
        lock.release()
      },
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

/** The live server on this directory, if there is one. */
export function findRunning(dataDir: string): Holder | undefined {
  return existsSync(dataDir) ? currentHolder(realpathSync(dataDir)) : undefined
}

function startWorker(onFailure: (error: Error) => void) {
  const worker = new Worker(assets.databaseWorker)
  let waiting: PromiseWithResolvers<FromWorker> | undefined
  let ended = false

  function fail(error: Error) {
    if (waiting) waiting.reject(error)
    else if (!ended) onFailure(error)
  }
  worker.onerror = event => fail(new Error(`the embedded database stopped: ${event.message}`))
  worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
    if (typeof data === 'object' && 'failed' in data)
      fail(new Error(`the embedded database stopped: ${data.failed}`))
    else waiting?.resolve(data)
  }

  return {
    async ask(message: ToWorker, ms: number): Promise<FromWorker> {
      waiting = Promise.withResolvers<FromWorker>()
      const timer = setTimeout(
        () => waiting?.reject(new Error(`the embedded database did not answer in ${ms} ms`)),
        ms,
      )
      worker.postMessage(message)
      try {
        return await waiting.promise
      } finally {
        clearTimeout(timer)
        waiting = undefined
      }
    },
    end() {
      ended = true
      worker.terminate()
    },
  }
}
