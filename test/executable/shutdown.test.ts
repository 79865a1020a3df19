import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { createSessions } from '../../server/auth/session.ts'
import { readConfig } from '../../server/config/read.ts'
import { post } from '../support/api.ts'
import { ALICE, OWNER } from '../support/app.ts'
import { freePort, freshDatabase } from '../support/postgres.ts'
import { refusesConnections } from '../support/raw.ts'
import { until } from '../support/until.ts'

const executable = join(import.meta.dir, '../../dist/faultline')
const isRoot = process.getuid?.() === 0

let database: Awaited<ReturnType<typeof freshDatabase>>
let home: string
beforeAll(async () => {
  database = await freshDatabase()
  home = mkdtempSync(join(tmpdir(), 'faultline-shutdown-'))
})
afterAll(async () => {
  await database.drop()
  rmSync(home, { recursive: true, force: true })
})

async function start(command: string[] = [executable, 'serve'], changed: Record<string, string> = {}) {
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const env: Record<string, string> = {
    PUBLIC_URL: origin,
    PORT: String(port),
    DATABASE_URL: database.url,
    ALLOWED_DOMAIN: 'example.com',
    OWNER_EMAIL: OWNER,
    SESSION_PASSWORD: 'a test password of enough different characters',
    OAUTH_CLIENT_ID: 'faultline',
    OAUTH_CLIENT_SECRET: 'client-secret',
    ...changed,
  }
  const server = Bun.spawn(command, { cwd: home, env, stdout: 'pipe', stderr: 'pipe' })
  const cookie = (await createSessions(readConfig(env)).begin(ALICE)).split(';', 1)[0]!
  const send = (path: string, init: RequestInit = {}) =>
    fetch(origin + path, { ...init, headers: { ...(init.headers as object), cookie } })
  return { server, origin, send, env }
}

function healthy(origin: string, server: Bun.Subprocess) {
  return until(async () => {
    if (server.exitCode !== null) throw new Error('the server ended')
    return (await fetch(`${origin}/api/health`).catch(() => undefined))?.status === 200
  }, 'the server is healthy')
}

/** A request that waits for a lock until the test lets go of it. */
async function slowRequest({ origin, send, server }: Awaited<ReturnType<typeof start>>) {
  await healthy(origin, server)
  const { id } = (await (await post(send, '/api/projects', { name: 'Slow' })).json()) as { id: string }
  const sql = postgres(database.url, { max: 2, onnotice() {} })
  const locked = Promise.withResolvers<void>()
  const letGo = Promise.withResolvers<void>()
  const holding = sql.begin(async tx => {
    await tx`lock table defects in access exclusive mode`
    locked.resolve()
    await letGo.promise
  })
  await locked.promise
  const body = { section_id: 'cpu', project_id: id, verbatim: 'filed while the server stops' }
  const answer = post(send, '/api/defects', body)
  const waits = async () => (await sql`select from pg_locks where not granted`).length > 0
  await until(waits, 'the report waits for the lock')
  return {
    answer,
    async release() {
      letGo.resolve()
      await holding
      await sql.end()
    },
  }
}

describe('SIGTERM', () => {
  test('lets a request under way finish, takes no new connection, and ends with 0', async () => {
    const running = await start()
    const { answer, release } = await slowRequest(running)
    running.server.kill('SIGTERM')
    await until(() => refusesConnections(running.origin), 'new connections are refused')
    await release()
    expect((await answer).status).toBe(201)
    expect(await running.server.exited).toBe(0)
  }, 20_000)

  test('a second one ends it at once', async () => {
    const running = await start()
    const { answer, release } = await slowRequest(running)
    const unanswered = answer.then(
      () => false,
      () => true,
    )
    running.server.kill('SIGTERM')
    await until(() => refusesConnections(running.origin), 'new connections are refused')
    running.server.kill('SIGTERM')
    expect(await running.server.exited).not.toBe(0)
    expect(await unanswered).toBe(true)
    await release()
  }, 20_000)

  const canUnshare = isRoot && existsSync('/usr/bin/unshare')
  test.skipIf(!canUnshare)(
    'is heard as process 1 too (needs root and unshare)',
    async () => {
      const { server, origin } = await start(['unshare', '--fork', '--pid', executable, 'serve'])
      await healthy(origin, server)
      const inner = Number(readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8').trim())
      process.kill(inner, 'SIGTERM')
      expect(await server.exited).toBe(0)
    },
    20_000,
  )
})

test.each(['SIGINT', 'SIGHUP'] as const)(
  '%s ends the server in order',
  async signal => {
    const { server, origin } = await start()
    await healthy(origin, server)
    server.kill(signal)
    expect(await server.exited).toBe(0)
  },
  20_000,
)

test('a busy port is an error: exit status 1 and one line', async () => {
  const first = await start()
  await healthy(first.origin, first.server)
  const second = await start([executable, 'serve'], { PORT: first.env.PORT!, LOG_LEVEL: 'error' })
  expect(await second.server.exited).toBe(1)
  const said = (await new Response(second.server.stderr).text()).trim().split('\n')
  expect(said).toHaveLength(1)
  expect(said[0]).toContain(first.env.PORT!)
  first.server.kill()
  await first.server.exited
}, 20_000)

test('.env and bunfig.toml of the working directory are not read', async () => {
  writeFileSync(join(home, '.env'), 'LOG_LEVEL=nonsense\nOWNER_EMAIL=intruder@example.com\n')
  writeFileSync(join(home, 'bunfig.toml'), `preload = ["./evil.ts"]\n`)
  writeFileSync(join(home, 'evil.ts'), `require('node:fs').writeFileSync('ran', 'yes')\n`)
  const { server, origin } = await start()
  await healthy(origin, server)
  expect(existsSync(join(home, 'ran'))).toBe(false)
  server.kill()
  expect(await server.exited).toBe(0)
}, 20_000)
