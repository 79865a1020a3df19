/** The embedded PostgreSQL, on a thread of its own: a long statement never stops the HTTP loop. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { assets } from '../assets.ts'
import { createBackend } from './backend.ts'
import { checkpointIfDue } from './checkpoint.ts'
import { createDurableFs } from './durable-fs.ts'
import type { FromWorker, ToWorker } from './postgres.ts'
import { serveSessions } from './sessions.ts'

declare const self: Worker

const CHECKPOINT_EVERY_MS = 1_000

const post = (message: FromWorker) => self.postMessage(message)
const disk = { syncs: 0 }
let close = async () => {}
let lastFatal = ''

// While the data directory is laid out.
const program = WebAssembly.compile(readFileSync(join(assets.pglite, 'pglite.wasm')))

self.onmessage = async ({ data }: MessageEvent<ToWorker>) => {
  try {
    if (data === 'syncs') post({ syncs: disk.syncs })
    else if (data === 'close') {
      await close()
      post('closed')
    } else {
      await open(data.open)
      post('open')
    }
  } catch (error) {
    fail(error)
  }
}

async function open({ cluster, socketPath }: { cluster: string; socketPath: string }) {
  const pgliteWasmModule = await program
  const database = await PGlite.create({
    fs: createDurableFs(cluster, disk),
    pgliteWasmModule,
    // Never run: the directory is there. Without it PGlite looks for a file of its own.
    initdbWasmModule: pgliteWasmModule,
    fsBundle: new Blob([Bun.gunzipSync(readFileSync(join(assets.pglite, 'pglite.data.gz')))]),
    startParams: [
      ...PGlite.defaultStartParams.filter(parameter => parameter !== '-F'),
      '-c',
      'wal_sync_method=fsync',
    ],
    onStderr,
  })
  const sessions = await serveSessions(createBackend(database), socketPath, fail)
  const checkpoints = setInterval(() => {
    sessions.runWhenIdle(() =>
      checkpointIfDue(database).catch(error => warn(`no checkpoint: ${error.message}`)),
    )
  }, CHECKPOINT_EVERY_MS)
  close = async () => {
    clearInterval(checkpoints)
    await sessions.close()
    await database.close()
  }
}

/** PostgreSQL's log. A client's own errors go to the client, and may hold data. */
function onStderr(line: string): boolean {
  const [, severity, text = ''] = /^(?:.* )?(LOG|WARNING|FATAL|PANIC): +(.*)/.exec(line) ?? []
  if (severity === 'FATAL' || severity === 'PANIC') lastFatal = text
  if (severity) post({ log: { level: severity === 'LOG' ? 'debug' : 'warn', text } })
  return false
}

function warn(text: string) {
  post({ log: { level: 'warn', text } })
}

function fail(error: unknown) {
  close = async () => {}
  post({ failed: lastFatal || String(error) })
}
