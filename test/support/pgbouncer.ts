import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import postgres from 'postgres'
import { freePort } from './postgres.ts'
import { until } from './until.ts'

/** PgBouncer of the system, or one that was built elsewhere. */
const program = process.env.FAULTLINE_TEST_PGBOUNCER ?? Bun.which('pgbouncer')
export const hasPgBouncer = program !== null

export interface Pooler {
  /** the same database through the pooler */
  url: string
  remove(): Promise<void>
}

const UNPRIVILEGED = 65_534
const root = process.getuid?.() === 0

interface PoolerOptions {
  mode?: 'transaction' | 'session' | 'statement'
  size?: number
  /** another line of its settings */
  more?: string
}

export async function startPgBouncer(
  databaseUrl: string,
  { mode = 'transaction', size = 20, more = '' }: PoolerOptions = {},
): Promise<Pooler> {
  const { hostname, port, pathname, username } = new URL(databaseUrl)
  const home = mkdtempSync('/tmp/faultline-pgbouncer-')
  const file = join(home, 'pgbouncer.ini')
  const listenPort = await freePort()
  writeFileSync(
    file,
    `[databases]
* = host=${hostname} port=${port} user=${username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = ${size}
max_client_conn = 1000
${more}
`,
  )
  if (root) chownSync(home, UNPRIVILEGED, UNPRIVILEGED)
  const server = Bun.spawn([program!, '-q', file], {
    ...(root ? { uid: UNPRIVILEGED, gid: UNPRIVILEGED } : {}),
    cwd: home,
    stdout: 'ignore',
    stderr: 'ignore',
  })
  const url = `postgres://${username}@127.0.0.1:${listenPort}${pathname}`
  await until(async () => {
    if (server.exitCode !== null) throw new Error(`PgBouncer ended with ${server.exitCode}`)
    return answers(url)
  }, 'PgBouncer answers')
  return {
    url,
    async remove() {
      server.kill('SIGKILL')
      await server.exited
      rmSync(home, { recursive: true, force: true })
    },
  }
}

async function answers(url: string): Promise<boolean> {
  const sql = postgres(url, { max: 1, fetch_types: false, onnotice() {} })
  try {
    await sql.unsafe('select 1')
    return true
  } catch {
    return false
  } finally {
    await sql.end()
  }
}
