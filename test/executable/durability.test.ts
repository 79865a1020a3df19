import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSessions } from '../../server/auth/session.ts'
import { readConfig } from '../../server/config/read.ts'
import { post, wholeFeed } from '../support/api.ts'
import { ALICE, OWNER } from '../support/app.ts'
import { freePort } from '../support/postgres.ts'
import { until } from '../support/until.ts'

const rounds = process.env.FAULTLINE_LONG ? 200 : 10
const executable = join(import.meta.dir, '../../dist/faultline')

test(`kill -9 of a server that writes, ${rounds} rounds: what was acknowledged is there, nothing twice`, async () => {
  const home = mkdtempSync(join(tmpdir(), 'faultline-kill-'))
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const env = {
    PUBLIC_URL: origin,
    PORT: String(port),
    DATA_DIR: 'data',
    ALLOWED_DOMAIN: 'example.com',
    OWNER_EMAIL: OWNER,
    SESSION_PASSWORD: 'a test password of enough different characters',
    OAUTH_CLIENT_ID: 'faultline',
    OAUTH_CLIENT_SECRET: 'client-secret',
    LOG_LEVEL: 'warn',
  }
  const cookie = (await createSessions(readConfig(env)).begin(ALICE)).split(';', 1)[0]!
  const send = (path: string, init: RequestInit = {}) =>
    fetch(origin + path, { ...init, headers: { ...(init.headers as object), cookie } })
  const acknowledged = new Set<string>()
  let written = 0

  async function start() {
    const server = Bun.spawn([executable, 'serve'], { cwd: home, env, stdout: 'ignore', stderr: 'inherit' })
    const healthy = async () => (await fetch(`${origin}/api/health`).catch(() => undefined))?.status === 200
    await until(healthy, 'the server did not come back', 60_000)
    return server
  }

  let server = await start()
  const { id: projectId } = (await (await post(send, '/api/projects', { name: 'Durability' })).json()) as {
    id: string
  }
  for (let round = 0; round < rounds; round++) {
    let writing = true
    const writers = Array.from({ length: 6 }, async () => {
      while (writing) {
        const body = { section_id: 'cpu', project_id: projectId, verbatim: `defect ${written++}` }
        const response = await post(send, '/api/defects', body).catch(() => undefined)
        if (response?.status === 201)
          acknowledged.add(((await response.json().catch(() => ({}))) as { id: string }).id)
      }
    })
    const enough = acknowledged.size + 5 * (1 + (round % 5))
    await until(() => acknowledged.size >= enough, 'reports are acknowledged')
    server.kill('SIGKILL')
    await server.exited
    writing = false
    await Promise.all(writers)
    server = await start()
  }

  const feed = await wholeFeed(send, '/api/defects?limit=200')
  const ids = new Set(feed.map(entry => entry.id))
  acknowledged.delete(undefined as never)
  expect(acknowledged.size).toBeGreaterThan(rounds)
  expect([...acknowledged].filter(id => !ids.has(id))).toEqual([])
  expect(new Set(feed.map(entry => entry.verbatim)).size).toBe(feed.length)
  const counts = (await (await send('/api/defects/counts')).json()) as Record<string, number>
  expect(counts.cpu).toBe(feed.length)
  server.kill('SIGTERM')
  expect(await server.exited).toBe(0)
  rmSync(home, { recursive: true, force: true })
}, 1_200_000)
