import { heapStats } from 'bun:jsc'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import postgres from 'postgres'
import { createBackend } from '../../server/embedded/backend.ts'
import { ensureCluster } from '../../server/embedded/data-dir.ts'
import { createDurableFs } from '../../server/embedded/durable-fs.ts'
import { query } from '../../server/embedded/frames.ts'
import { type Embedded, openEmbedded } from '../../server/embedded/postgres.ts'
import { silentLog } from '../../server/log.ts'
import { until } from '../support/until.ts'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'faultline-backend-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

async function withDatabase(use: (database: Embedded, sql: postgres.Sql) => Promise<void>) {
  const database = await openEmbedded(dataDir, silentLog)
  const sql = postgres({
    path: database.socketPath,
    user: 'postgres',
    database: 'postgres',
    onnotice() {},
  } as never)
  try {
    await use(database, sql)
  } finally {
    await sql.end({ timeout: 1 })
    await database.close()
  }
}

function objects(): number {
  Bun.gc(true)
  return heapStats().objectCount
}

/** The bytes of the first answer, and whether the server closed. */
async function say(socketPath: string, bytes: Uint8Array): Promise<{ heard: string; closed: boolean }> {
  const socket = connect(socketPath)
  const said = Promise.withResolvers<{ heard: string; closed: boolean }>()
  socket.on('data', heard => said.resolve({ heard: heard.toString('latin1'), closed: false }))
  socket.on('close', () => said.resolve({ heard: '', closed: true }))
  socket.write(bytes)
  return said.promise.finally(() => socket.destroy())
}

function request(code: number): Uint8Array {
  const bytes = Buffer.alloc(code === 80_877_102 ? 16 : 8)
  bytes.writeInt32BE(bytes.length, 0)
  bytes.writeInt32BE(code, 4)
  return bytes
}

test('a disk that refuses to sync ends the database with its reason, and acknowledges nothing', async () => {
  const database = await PGlite.create({
    fs: createDurableFs(await ensureCluster(dataDir), { syncs: 0 }),
    ...durable,
  })
  const backend = createBackend(database)
  await backend.run([query('create table t (n int)')])
  const { NODEFS } = database.Module as unknown as {
    NODEFS: { stream_ops: { fsync(): number }; tryFSOperation(operation: () => never): number }
  }
  NODEFS.stream_ops.fsync = () =>
    NODEFS.tryFSOperation(() => {
      throw Object.assign(new Error('the disk is broken'), { code: 'EIO' })
    })
  expect(backend.run([query('insert into t values (1)')])).rejects.toThrow()
  expect(backend.run([query('select 1')])).rejects.toThrow()
})

test('a reply is handed over whole and nothing of it is kept', async () => {
  const database = await PGlite.create({ fs: createDurableFs(await ensureCluster(dataDir), { syncs: 0 }) })
  const backend = createBackend(database)
  const rows = () => backend.run([query('select n from generate_series(1, 5000) as n')])
  expect((await rows()).toString('latin1')).toContain('SELECT 5000')
  const before = objects()
  for (let i = 0; i < 20; i++) await rows()
  expect(objects() - before).toBeLessThan(5_000)
  await database.close()
})

test('the log of changes is folded in before it grows long', async () => {
  await withDatabase(async (_, sql) => {
    const positions = async () =>
      (
        await sql`select pg_current_wal_lsn() - '0/0' as written, redo_lsn - '0/0' as folded from pg_control_checkpoint()`
      )[0]!
    await sql`create table t (s text)`
    const before = await positions()
    await sql`insert into t select repeat(md5(g::text), 20) from generate_series(1, 40000) g`
    const after = await positions()
    expect(after.written - before.written).toBeGreaterThan(16 * 1024 * 1024)
    await until(
      async () => Number((await positions()).folded) > Number(before.written),
      'nothing was folded in',
    )
  })
})

test('a message of many packets and an answer of many megabytes arrive whole', async () => {
  await withDatabase(async (_, sql) => {
    const long = 'é'.repeat(3_000_000)
    expect((await sql`select ${long} as long`)[0]!.long === long).toBe(true)
  })
})

test('encryption is declined, a wish to cancel and nonsense are hung up on, the rest goes on', async () => {
  await withDatabase(async ({ socketPath }, sql) => {
    expect(await say(socketPath, request(80_877_103))).toMatchObject({ heard: 'N' })
    expect(await say(socketPath, request(80_877_102))).toMatchObject({ closed: true })
    expect(await say(socketPath, Buffer.from('GET / HTTP/1.1\r\n\r\n'))).toMatchObject({ closed: true })
    expect(await sql`select 1 as one`).toMatchObject([{ one: 1 }])
  })
})

test('a client over a hundred is told so, and the others are served', async () => {
  await withDatabase(async ({ socketPath }, sql) => {
    await sql`select 1`
    const crowd = Array.from({ length: 120 }, () => connect(socketPath))
    const told = await Promise.race(
      crowd.map(socket => new Promise<string>(resolve => socket.on('data', bytes => resolve(String(bytes))))),
    )
    expect(told).toContain('53300')
    expect(await sql`select 1 as one`).toMatchObject([{ one: 1 }])
    for (const socket of crowd) socket.destroy()
  })
})

const durable = {
  startParams: [
    ...PGlite.defaultStartParams.filter(parameter => parameter !== '-F'),
    '-c',
    'wal_sync_method=fsync',
  ],
}
