/**
 * Several instances behind the balancers and the pooler that people use, restarted one by one under load:
 * `bun run test:scale`, or with `--long` as often as `docs/reliability.md` tells. Names as arguments choose some.
 */
import { existsSync } from 'node:fs'
import postgres from 'postgres'
import { createSessions } from '../../server/auth/session.ts'
import { readConfig } from '../../server/config/read.ts'
import { DatabaseUnsuitable, migrate } from '../../server/db/migrate.ts'
import { post } from '../support/api.ts'
import { ALICE } from '../support/app.ts'
import { startPgBouncer } from '../support/pgbouncer.ts'
import { type Cluster, freePort, startCluster } from '../support/postgres.ts'
import { installMissing } from '../support/programs.ts'
import { type Server, startServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { kinds, PROGRAMS, startBalancer } from './balancers.ts'
import { type Load, mixedLoad } from './clients.ts'

const INSTANCES = 3
const PGBOUNCER = '/usr/sbin/pgbouncer'
const long = process.argv.includes('--long')
const ROUNDS = long ? 20 : 2
const POOLED_SECONDS = long ? 600 : 10
const FEW = 50
const only = process.argv.slice(2).filter(argument => !argument.startsWith('--'))

interface Row {
  what: string
  asked?: number
  failed?: string[]
  skipped?: string
}

await installMissing({ ...PROGRAMS, pgbouncer: PGBOUNCER })
const cluster = await startCluster({ durable: false })
let databases = 0
const rows: Row[] = []
try {
  for (const [name, kind] of Object.entries(kinds)) {
    const what = `${ROUNDS} rolling restarts behind ${name}`
    await tried(what, kind.program, () => rollingRestarts(name))
  }
  const what = `${INSTANCES} instances through PgBouncer, ${POOLED_SECONDS} s`
  await tried(what, process.env.FAULTLINE_TEST_PGBOUNCER ?? PGBOUNCER, pooled)
} finally {
  await cluster.remove()
}
report()

async function tried(what: string, program: string, run: () => Promise<Omit<Row, 'what'>>): Promise<void> {
  if (only.length && !only.some(word => what.includes(word))) return
  const row = existsSync(program) ? await run() : { skipped: `${program} is missing` }
  rows.push({ what, ...row })
  console.log(rows.at(-1))
}

async function rollingRestarts(name: string): Promise<Omit<Row, 'what'>> {
  const url = await freshDatabase(cluster)
  const ports = await Promise.all(Array.from({ length: INSTANCES }, freePort))
  // One address for all, so that a session opens anywhere.
  const env = { DATABASE_URL: url, PUBLIC_URL: 'http://127.0.0.1:1', DRAIN_SECONDS: '3', LOG_LEVEL: 'error' }
  const start = async (port: number) => {
    const server = await startServer({ ...env, PORT: String(port) })
    await server.healthy()
    return server
  }
  const servers = await Promise.all(ports.map(start))
  const balancer = await startBalancer(kinds[name]!, ports.map(String))
  const load = await loadOn(balancer.origin, servers[0]!)
  await flows(load)
  for (let round = 0; round < ROUNDS; round++) {
    for (const [at, port] of ports.entries()) {
      servers[at]!.process.kill('SIGTERM')
      await servers[at]!.process.exited
      servers[at] = await start(port)
      await flows(load)
    }
  }
  const asked = load.asked()
  const failed = await load.stop()
  await balancer.remove()
  await Promise.all(servers.map(end))
  return { asked, failed }
}

async function pooled(): Promise<Omit<Row, 'what'>> {
  const url = await freshDatabase(cluster)
  await bringSettings(url)
  const pooler = await startPgBouncer(url, { size: 6 })
  const env = { DATABASE_URL: pooler.url, DATABASE_POOLER: 'transaction', LOG_LEVEL: 'error' }
  const servers = await Promise.all(Array.from({ length: INSTANCES }, () => startServer(env)))
  await Promise.all(servers.map(server => server.healthy()))
  const loads = await Promise.all(servers.map(server => loadOn(server.origin, server)))
  await Bun.sleep(POOLED_SECONDS * 1000)
  const asked = loads.reduce((sum, load) => sum + load.asked(), 0)
  const failed = (await Promise.all(loads.map(load => load.stop()))).flat()
  const sql = postgres(url, { max: 1, onnotice() {} })
  const locks = await sql`select from pg_locks where locktype = 'advisory'`
  await sql.end()
  if (locks.length) failed.push(`${locks.length} locks are left`)
  await Promise.all(servers.map(end))
  await pooler.remove()
  return { asked, failed }
}

/** What the product itself says that the role has to set. */
async function bringSettings(url: string): Promise<void> {
  const error = await migrate({ kind: 'postgres', url, pooled: true }).catch(fault => fault)
  if (!(error instanceof DatabaseUnsuitable)) throw new Error('the role needed no settings', { cause: error })
  const sql = postgres(url, { max: 1, onnotice() {} })
  await sql.unsafe(error.message.replace(/^.*in the pooler: /, ''))
  await sql.end()
}

async function loadOn(origin: string, server: Server): Promise<Load> {
  const cookie = (await createSessions(readConfig(server.env)).begin(ALICE)).split(';', 1)[0]!
  const { id } = (await (await post(server.send, '/api/projects', { name: 'Under load' })).json()) as {
    id: string
  }
  return mixedLoad(origin, cookie, id)
}

async function flows(load: Load): Promise<void> {
  const mark = load.asked()
  await until(() => load.asked() > mark + FEW, 'requests flow')
}

async function end({ process }: Server): Promise<void> {
  process.kill('SIGINT')
  await process.exited
}

async function freshDatabase({ admin, url }: Cluster): Promise<string> {
  const name = `scale_${databases++}`
  await admin(`create database ${name}`)
  return url(name)
}

function report(): void {
  console.log('\n| what | requests | failed |\n|---|---|---|')
  for (const { what, asked, failed, skipped } of rows) {
    console.log(`| ${what} | ${skipped ?? asked} | ${failed?.length ?? ''} |`)
  }
  const reasons = Object.entries(
    Object.groupBy(
      rows.flatMap(row => row.failed ?? []),
      reason => reason,
    ),
  )
  for (const [reason, all] of reasons) console.log(`${all?.length} × ${reason}`)
  const failed = rows.filter(row => row.failed?.length).length
  const skipped = rows.filter(row => row.skipped).length
  console.log(
    `${rows.length - failed - skipped} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`,
  )
  process.exit(failed ? 1 : 0)
}
