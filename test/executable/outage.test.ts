import { afterAll, beforeAll, expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import type { FeedEntry } from '../../server/defects/entry.ts'
import { post, problemOf, project, report } from '../support/api.ts'
import { ALICE, type TestApp, testApp } from '../support/app.ts'
import { healthy } from '../support/health.ts'
import { type Cluster, freePort, startCluster } from '../support/postgres.ts'
import { until } from '../support/until.ts'

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
}

/** Eight clients read and write until told to stop; every answer is judged. */
function load() {
  const tally: Tally = { statuses: new Set(), wrong: [] }
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
      await (writes ? write(n) : read())
      await Bun.sleep(5)
    }
  }
  const clients = Array.from({ length: 8 }, (_, i) => client(i % 2 === 0))
  return {
    tally,
    acknowledged,
    /** more reports are acknowledged than were when this was asked */
    async flows() {
      const before = acknowledged.length
      await until(() => acknowledged.length > before + 2, 'reports are acknowledged')
    },
    async stop() {
      going = false
      await Promise.all(clients)
    },
  }
}

const health = () => app.anonymous('/api/health')

async function unhealthy() {
  await until(async () => (await health()).status === 503, 'health notices the outage')
  expect(await (await health()).json()).toEqual({ status: 'unavailable', database: 'unreachable' })
}

/** What was acknowledged is there, and nothing that was answered was wrong. */
async function judge(run: ReturnType<typeof load>, outage: boolean) {
  await run.stop()
  expect(run.tally.wrong).toEqual([])
  expect([...run.tally.statuses].filter(status => ![200, 201, 503].includes(status))).toEqual([])
  if (outage) expect(run.tally.statuses).toContain(503)
  const rows = await app.db.read(queries =>
    queries.execute<{ id: string }>(sql`select id from defects where section_id = 'cpu'`),
  )
  const stored = new Set(rows.map(row => row.id))
  expect(run.acknowledged.filter(id => !stored.has(id))).toEqual([])
}

test('a PostgreSQL that stops and starts again: 503 meanwhile, healthy right after', async () => {
  const run = load()
  await run.flows()
  await cluster.stop()
  await unhealthy()
  expect((await app.anonymous('/api/health?live')).status).toBe(200)
  await cluster.start()
  await healthy(app.origin)
  await judge(run, true)
})

test('backends terminated under load: no wrong rows, no other status', async () => {
  const run = load()
  for (let round = 0; round < (process.env.FAULTLINE_LONG ? 200 : 15); round++) {
    await run.flows()
    await app.db
      .write(queries =>
        queries.execute(
          `select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and application_name = 'faultline'`,
        ),
      )
      .catch(() => {})
  }
  await healthy(app.origin)
  await judge(run, false)
})

test('a PostgreSQL frozen by SIGSTOP: 503 within the deadline, healthy after SIGCONT', async () => {
  const run = load()
  await run.flows()
  const frozen = cluster.processes()
  for (const pid of frozen) process.kill(pid, 'SIGSTOP')
  await unhealthy()
  const send = app.as(ALICE)
  const body = { section_id: 'cpu', project_id: projectId, verbatim: 'filed into the ice' }
  const answers = await Promise.all([send('/api/defects'), post(send, '/api/defects', body)])
  expect(answers.map(({ status }) => status)).toEqual([503, 503])
  for (const pid of frozen) process.kill(pid, 'SIGCONT')
  await healthy(app.origin)
  await judge(run, true)
})

test('a server that starts before its PostgreSQL stays up and becomes ready by itself', async () => {
  await cluster.stop()
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const env = { DATABASE_URL: cluster.url('postgres'), PORT: String(port), PUBLIC_URL: origin }
  const early = testApp({ database: 'embedded', env })
  const status = () =>
    fetch(`${origin}/api/health`).then(
      answer => answer.status,
      () => 0,
    )
  await until(async () => (await status()) === 503, 'it serves, and says that it is not ready')
  await cluster.start()
  const started = await early
  started.expectErrors()
  await healthy(origin)
  await started.stop()
})
