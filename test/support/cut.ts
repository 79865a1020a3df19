import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, connect as dial, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Target } from '../../server/db/client.ts'
import { connect, type Database } from '../../server/db/database.ts'
import { migrate } from '../../server/db/migrate.ts'
import { openEmbedded } from '../../server/embedded/postgres.ts'
import { silentLog } from '../../server/log.ts'
import { freshDatabase } from './postgres.ts'

/** Where a connection is cut: before so many bytes have passed in one direction. */
export interface Cut {
  from: 'client' | 'server'
  bytes: number
}

/** Lets everything through but for the one connection that is cut. */
async function cuttingProxy(to: object, at: object) {
  let cut: Cut | undefined
  const sockets = new Set<Socket>()
  const server: Server = createServer(client => {
    const upstream = dial(to as never)
    const pass = (from: Cut['from'], source: Socket, target: Socket) =>
      source.on('data', (chunk: Buffer) => {
        if (cut?.from !== from || chunk.length <= cut.bytes) {
          if (cut?.from === from) cut.bytes -= chunk.length
          target.write(chunk)
          return
        }
        target.write(chunk.subarray(0, cut.bytes), () => {
          client.destroy()
          upstream.destroy()
        })
        cut = undefined
      })
    pass('client', client, upstream)
    pass('server', upstream, client)
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one)
      one.on('error', () => one.destroy())
      one.on('close', () => other.destroy())
    }
  })
  await new Promise<void>(resolve => server.listen(at, resolve))
  return {
    port: (server.address() as { port?: number }).port,
    cutNext(next: Cut) {
      cut = next
    },
    wasCut: () => cut === undefined,
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

export interface CutDatabase {
  /** past the proxy */
  direct: Database
  /** through it */
  db: Database
  /** the same for somebody else's connections */
  behind: Target
  proxy: Awaited<ReturnType<typeof cuttingProxy>>
  close(): Promise<void>
}

/** A migrated database, and connections to it that can be cut. */
export async function databaseToCut(kind: Database['kind']): Promise<CutDatabase> {
  const { target, behind, proxy, remove } = await (kind === 'postgres' ? postgresToCut() : embeddedToCut())
  await migrate(target)
  const [direct, db] = [connect(target), connect(behind)]
  return {
    direct,
    db,
    behind,
    proxy,
    async close() {
      await db.close()
      await direct.close()
      proxy.close()
      await remove()
    },
  }
}

async function postgresToCut() {
  const { url, drop } = await freshDatabase()
  const { hostname, port } = new URL(url)
  const proxy = await cuttingProxy({ host: hostname, port: Number(port) }, { host: '127.0.0.1', port: 0 })
  const behind = new URL(url)
  behind.port = String(proxy.port)
  const target = (url: string): Target => ({ kind: 'postgres', url })
  return { target: target(url), behind: target(behind.href), proxy, remove: drop }
}

async function embeddedToCut() {
  const home = mkdtempSync(join(tmpdir(), 'faultline-cut-'))
  const { socketPath, close } = await openEmbedded(join(home, 'data'), silentLog)
  const path = join(home, 'proxy.sock')
  const proxy = await cuttingProxy({ path: socketPath }, { path })
  const target = (socketPath: string): Target => ({ kind: 'embedded', socketPath })
  const remove = async () => {
    await close()
    rmSync(home, { recursive: true, force: true })
  }
  return { target: target(socketPath), behind: target(path), proxy, remove }
}
