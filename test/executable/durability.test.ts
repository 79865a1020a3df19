import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { post, wholeFeed } from '../support/api.ts'
import { freePort } from '../support/postgres.ts'
import { startServer } from '../support/server.ts'
import { until } from '../support/until.ts'

const rounds = process.env.FAULTLINE_LONG ? 200 : 10

test(`kill -9 of a server that writes, ${rounds} rounds: what was acknowledged is there, nothing twice`, async () => {
  const home = mkdtempSync(join(tmpdir(), 'faultline-kill-'))
  const port = String(await freePort())
  const start = async () => {
    const server = await startServer({ PORT: port, DATA_DIR: 'data', LOG_LEVEL: 'warn' }, { cwd: home })
    await server.healthy()
    return server
  }
  const acknowledged = new Set<string>()
  let written = 0

  let server = await start()
  const { send } = server
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
    server.process.kill('SIGKILL')
    await server.process.exited
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
  server.process.kill('SIGTERM')
  expect(await server.process.exited).toBe(0)
  rmSync(home, { recursive: true, force: true })
}, 1_200_000)
