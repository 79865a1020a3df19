/** The embedded PostgreSQL, on a thread of its own: a long statement never stops the HTTP loop. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { createDurableFs } from './durable-fs.ts'
import type { FromWorker, ToWorker } from './embedded.ts'
import { serveSessions } from './sessions.ts'

declare const self: Worker

const tell = (message: FromWorker) => self.postMessage(message)
const disk = { syncs: 0 }
let close = async () => {}

self.onmessage = async ({ data }: MessageEvent<ToWorker>) => {
  try {
    if (data === 'syncs') tell({ syncs: disk.syncs })
    else if (data === 'close') {
      await close()
      tell('closed')
    } else {
      await open(data.open)
      tell('open')
    }
  } catch (error) {
    tell({ failed: String(error) })
  }
}

async function open({ cluster, socketPath, files }: { cluster: string; socketPath: string; files: string }) {
  const database = await PGlite.create({
    fs: createDurableFs(cluster, disk),
    pgliteWasmModule: await WebAssembly.compile(readFileSync(join(files, 'pglite.wasm'))),
    fsBundle: new Blob([readFileSync(join(files, 'pglite.data'))]),
    startParams: [
      ...PGlite.defaultStartParams.filter(parameter => parameter !== '-F'),
      '-c',
      'wal_sync_method=fsync',
    ],
  })
  const sessions = await serveSessions(database, socketPath, error => tell({ failed: String(error) }))
  close = async () => {
    await sessions.close()
    await database.close()
  }
}
