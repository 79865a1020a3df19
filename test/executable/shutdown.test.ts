import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { post } from '../support/api.ts'
import { freshDatabase } from '../support/postgres.ts'
import { refusesConnections } from '../support/raw.ts'
import { executable, type Server, startServer } from '../support/server.ts'
import { until } from '../support/until.ts'

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

const start = (command?: string[], changed: Record<string, string> = {}) =>
  startServer({ DATABASE_URL: database.url, ...changed }, { command, cwd: home })

/** A request that waits for a lock until the test lets go of it. */
async function slowRequest({ send, healthy }: Server) {
  await healthy()
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
    running.process.kill('SIGTERM')
    await until(() => refusesConnections(running.origin), 'new connections are refused')
    await release()
    expect((await answer).status).toBe(201)
    expect(await running.process.exited).toBe(0)
  })

  test('a second one ends it at once', async () => {
    const running = await start()
    const { answer, release } = await slowRequest(running)
    const unanswered = answer.then(
      () => false,
      () => true,
    )
    running.process.kill('SIGTERM')
    await until(() => refusesConnections(running.origin), 'new connections are refused')
    running.process.kill('SIGTERM')
    expect(await running.process.exited).not.toBe(0)
    expect(await unanswered).toBe(true)
    await release()
  })

  const canUnshare = isRoot && existsSync('/usr/bin/unshare')
  test.skipIf(!canUnshare)('is heard as process 1 too (needs root and unshare)', async () => {
    const server = await start(['unshare', '--fork', '--pid', executable, 'serve'])
    await server.healthy()
    const inner = Number(
      readFileSync(`/proc/${server.process.pid}/task/${server.process.pid}/children`, 'utf8').trim(),
    )
    process.kill(inner, 'SIGTERM')
    expect(await server.process.exited).toBe(0)
  })
})

test('SIGINT ends the server in order', async () => {
  const server = await start()
  await server.healthy()
  server.process.kill('SIGINT')
  expect(await server.process.exited).toBe(0)
})

test('a busy port is an error: exit status 1 and one line', async () => {
  const first = await start()
  await first.healthy()
  const second = await start([executable, 'serve'], { PORT: first.env.PORT!, LOG_LEVEL: 'error' })
  expect(await second.process.exited).toBe(1)
  const said = (await new Response(second.process.stderr).text()).trim().split('\n')
  expect(said).toHaveLength(1)
  expect(said[0]).toContain(first.env.PORT!)
  first.process.kill()
  await first.process.exited
})

test('.env and bunfig.toml of the working directory are not read', async () => {
  writeFileSync(join(home, '.env'), 'LOG_LEVEL=nonsense\nOWNER_EMAIL=intruder@example.com\n')
  writeFileSync(join(home, 'bunfig.toml'), `preload = ["./evil.ts"]\n`)
  writeFileSync(join(home, 'evil.ts'), `require('node:fs').writeFileSync('ran', 'yes')\n`)
  const server = await start()
  await server.healthy()
  expect(existsSync(join(home, 'ran'))).toBe(false)
  server.process.kill()
  expect(await server.process.exited).toBe(0)
})
