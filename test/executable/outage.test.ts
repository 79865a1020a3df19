import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { FeedEntry } from '../../server/defects/entry.ts'
import { post, problemOf, project, report } from '../support/api.ts'
import { ALICE, type TestApp, testApp } from '../support/app.ts'
import { type Cluster, startCluster } from '../support/postgres.ts'

/** The contract's deadline for a statement, and what a busy machine may add. */
const LATEST_MS = 5_000 + 2_500
const RETURN_MS = 2_000 + 2_000

let cluster: Cluster
let app: TestApp
let projectId: string
beforeAll(async () => {
  cluster = await startCluster()
  app = await testApp({ database: 'embedded', env: { DATABASE_URL: cluster.url('postgres') } })
  app.expectErrors()
  projectId = (await project(app)).id
  await report(app.as(ALICE), projectId, 'before every outage')
})
afterAll(async () => {
  await app.stop()
  await cluster.remove()
})

interface Tally {
  statuses: Set<number>
  wrong: string[]
  slowest: number
}

/** Eight clients read and write until told to stop; every answer is judged. */
function load() {
  const tally: Tally = { statuses: new Set(), wrong: [], slowest: 0 }
  const acknowledged: string[] = []
  let going = true
  const send = app.as(ALICE)

  async function read() {
    const response = await send('/api/defects?limit=20')
    tally.statuses.add(response.status)
    if (response.status === 503) {
      const problem = await problemOf(response)
      if (problem.code !== 'database_unavailable') tally.wrong.push(JSON.stringify(problem))
      if (!response.headers.get('retry-after')) tally.wrong.push('503 without Retry-After')
      return
    }
    const feed = (await response.json()) as FeedEntry[]
    const sane =
      Array.isArray(feed) &&
      feed.length > 0 &&
      feed.every(entry => entry?.id && entry.verbatim && entry.project_name)
    if (!sane) tally.wrong.push(JSON.stringify(feed).slice(0, 200))
  }

  async function write(n: number) {
    const body = { section_id: 'cpu', project_id: projectId, verbatim: `under load ${n}` }
    const response = await post(send, '/api/defects', body)
    tally.statuses.add(response.status)
    if (response.status === 201) acknowledged.push(((await response.json()) as FeedEntry).id)
  }

  const client = async (writes: boolean) => {
    for (let n = 0; going; n++) {
      const started = performance.now()
      await (writes ? write(n) : read())
      tally.slowest = Math.max(tally.slowest, performance.now() - started)
      await Bun.sleep(5)
    }
  }
  const clients = Array.from({ length: 8 }, (_, i) => client(i % 2 === 0))
  return {
    tally,
    acknowledged,
    async stop() {
      going = false
      await Promise.all(clients)
    },
  }
}

async function healthyWithin(ms: number) {
  const deadline = performance.now() + ms
  while ((await app.anonymous('/api/health')).status !== 200) {
    if (performance.now() > deadline) throw new Error(`not healthy ${ms} ms after the database's return`)
    await Bun.sleep(50)
  }
}

async function unhealthy() {
  const deadline = performance.now() + 5_000
  for (;;) {
    const started = performance.now()
    const response = await app.anonymous('/api/health')
    expect(performance.now() - started).toBeLessThan(2_000)
    if (response.status === 503) {
      expect(await response.json()).toEqual({ status: 'unavailable', database: 'unreachable' })
      return
    }
    if (performance.now() > deadline) throw new Error('health does not notice the outage')
    await Bun.sleep(20)
  }
}

/** What was acknowledged is there, and nothing that was answered was wrong. */
async function judge(run: ReturnType<typeof load>, outage: boolean) {
  await run.stop()
  expect(run.tally.wrong).toEqual([])
  expect([...run.tally.statuses].filter(status => ![200, 201, 503].includes(status))).toEqual([])
  expect(run.tally.slowest).toBeLessThan(LATEST_MS)
  if (outage) expect(run.tally.statuses).toContain(503)
  const { sql } = await import('drizzle-orm')
  const rows = await app.db.read(queries =>
    queries.execute<{ id: string }>(sql`select id from defects where section_id = 'cpu'`),
  )
  const stored = new Set(rows.map(row => row.id))
  expect(run.acknowledged.filter(id => !stored.has(id))).toEqual([])
}

test('a PostgreSQL that stops and starts again: 503 meanwhile, healthy right after', async () => {
  const run = load()
  await Bun.sleep(200)
  await cluster.stop()
  await unhealthy()
  expect((await app.anonymous('/api/health?live')).status).toBe(200)
  await cluster.start()
  await healthyWithin(RETURN_MS)
  await judge(run, true)
})

test('backends terminated under load: no wrong rows, no other status', async () => {
  const run = load()
  for (let round = 0; round < (process.env.FAULTLINE_LONG ? 200 : 15); round++) {
    await Bun.sleep(60)
    await app.db
      .write(queries =>
        queries.execute(
          `select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and application_name = 'faultline'`,
        ),
      )
      .catch(() => {})
  }
  await healthyWithin(RETURN_MS)
  await judge(run, false)
})

test('a PostgreSQL frozen by SIGSTOP: 503 within the deadline, healthy after SIGCONT', async () => {
  const run = load()
  await Bun.sleep(200)
  const frozen = cluster.processes()
  for (const pid of frozen) process.kill(pid, 'SIGSTOP')
  await unhealthy()
  await Bun.sleep(6_000)
  for (const pid of frozen) process.kill(pid, 'SIGCONT')
  await healthyWithin(RETURN_MS)
  await judge(run, true)
})

test('a server that starts before its PostgreSQL stays up and becomes ready by itself', async () => {
  await cluster.stop()
  const early = testApp({ database: 'embedded', env: { DATABASE_URL: cluster.url('postgres') } })
  await Bun.sleep(1_500)
  await cluster.start()
  const started = await early
  started.expectErrors()
  expect((await started.anonymous('/api/health')).status).toBe(200)
  expect(started.logs.some(line => line.message === 'waiting for the database')).toBe(true)
  await started.stop()
})
