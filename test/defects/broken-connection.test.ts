import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, connect as dial, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eq, sql } from 'drizzle-orm'
import { loadBoard } from '../../server/board/board.ts'
import type { Target } from '../../server/db/client.ts'
import { connect, type Database } from '../../server/db/database.ts'
import { migrate } from '../../server/db/migrate.ts'
import { defects, sectionTotals } from '../../server/db/schema.ts'
import { reportDefect } from '../../server/defects/report.ts'
import { openEmbedded } from '../../server/embedded/postgres.ts'
import { silentLog } from '../../server/log.ts'
import { findOrCreateProject } from '../../server/projects/service.ts'
import { freshDatabase } from '../support/postgres.ts'

/** Where a connection is cut: before so many bytes have passed in one direction. */
interface Cut {
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

const step = process.env.FAULTLINE_LONG ? 1 : 19
const LONGEST = 450
const cuts: Cut[] = (['client', 'server'] as const).flatMap(from =>
  Array.from({ length: Math.ceil(LONGEST / step) }, (_, i) => ({ from, bytes: i * step })),
)
const board = loadBoard()

describe.each(['postgres', 'embedded'] as const)('on %s', kind => {
  const home = mkdtempSync(join(tmpdir(), 'faultline-cut-'))
  const closing: (() => unknown)[] = [() => rmSync(home, { recursive: true, force: true })]
  let proxy: Awaited<ReturnType<typeof cuttingProxy>>
  let direct: Database
  let db: Database
  let projectId: string

  beforeAll(async () => {
    const { target, behindProxy } = await (kind === 'postgres' ? postgresTargets() : embeddedTargets())
    await migrate(target)
    direct = connect(target)
    db = connect(behindProxy)
    projectId = (await findOrCreateProject(direct, 'Cut')).project.id
  })
  afterAll(async () => {
    await db.close()
    await direct.close()
    for (const close of closing.reverse()) await close()
  })

  async function postgresTargets(): Promise<{ target: Target; behindProxy: Target }> {
    const { url, drop } = await freshDatabase()
    const { hostname, port } = new URL(url)
    proxy = await cuttingProxy({ host: hostname, port: Number(port) }, { host: '127.0.0.1', port: 0 })
    closing.push(drop, proxy.close)
    const behind = new URL(url)
    behind.port = String(proxy.port)
    return { target: { kind: 'postgres', url }, behindProxy: { kind: 'postgres', url: behind.href } }
  }

  async function embeddedTargets(): Promise<{ target: Target; behindProxy: Target }> {
    const { socketPath, close } = await openEmbedded(join(home, 'data'), silentLog)
    const path = join(home, 'proxy.sock')
    proxy = await cuttingProxy({ path: socketPath }, { path })
    closing.push(close, proxy.close)
    return { target: { kind: 'embedded', socketPath }, behindProxy: { kind: 'embedded', socketPath: path } }
  }

  test('a report whose connection is cut anywhere is stored once, acknowledged and pushed once', async () => {
    const pushed: string[] = []
    const push = { later: ({ id }: { id: string }) => void pushed.push(id), drain: async () => {} }
    let met = 0
    for (const [i, cut] of cuts.entries()) {
      // So that the cut meets the report and not the start of its connection.
      await db.read(queries => queries.execute(sql`select 1`))
      proxy.cutNext({ ...cut })
      const verbatim = `cut ${JSON.stringify(cut)}`
      const report = {
        section_id: 'cpu',
        project_id: projectId,
        verbatim,
        reporter: 'alice@example.com',
        idempotency_key: i % 2 ? `key-${i}` : null,
      }
      const { entry, created } = await reportDefect({ db, board, push }, report)
      if (proxy.wasCut()) met++
      expect({ cut, created }).toEqual({ cut, created: true })
      const stored = await direct.read(queries =>
        queries.select().from(defects).where(eq(defects.verbatim, verbatim)),
      )
      expect(stored.map(({ id }) => id)).toEqual([entry.id])
      expect(pushed.splice(0)).toEqual([entry.id])
    }
    expect(met).toBeGreaterThan(cuts.length / 4)
    const [counted] = await direct.read(queries =>
      queries
        .select({ sum: sql<number>`sum(${sectionTotals.count})::int` })
        .from(sectionTotals)
        .where(eq(sectionTotals.sectionId, 'cpu')),
    )
    expect(counted?.sum).toBe(cuts.length)
  }, 300_000)
})
