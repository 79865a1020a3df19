import { afterAll, beforeAll, expect, test } from 'bun:test'
import { post, project, report } from '../support/api.ts'
import { ALICE, type TestApp, testApp } from '../support/app.ts'
import { type Cluster, startCluster } from '../support/postgres.ts'
import { until } from '../support/until.ts'

/** Two servers that follow nobody: what one has the other lacks, which is all the same here. */
let one: Cluster
let two: Cluster
let app: TestApp
beforeAll(async () => {
  ;[one, two] = await Promise.all([
    startCluster({ durable: false }),
    startCluster({ durable: false, standby: true }),
  ])
  const url = `postgres://postgres@127.0.0.1:${two.port},127.0.0.1:${one.port}/postgres`
  app = await testApp({ database: 'embedded', env: { DATABASE_URL: url } })
  app.expectErrors()
})
afterAll(async () => {
  await app.stop()
  await Promise.all([one.remove(), two.remove()])
})

const health = async (of: TestApp) => {
  const response = await of.anonymous('/api/health')
  return [response.status, await response.json()]
}
const file = (to: TestApp, project_id: string) =>
  post(to.as(ALICE), '/api/defects', { section_id: 'cpu', project_id, verbatim: 'filed meanwhile' })

test('of two servers the one that takes writes is used', async () => {
  expect(await health(app)).toEqual([200, { status: 'ok', database: 'ok' }])
  await report(app.as(ALICE), (await project(app)).id, 'stored by the primary')
})

test('a report that comes while no server takes writes waits for the one that does, within its deadline', async () => {
  const { id } = await project(app)
  await one.demote()
  await until(async () => (await health(app))[0] === 503, 'health notices')
  const waiting = file(app, id)
  await one.promote()
  expect((await waiting).status).toBe(201)
  await until(async () => (await health(app))[0] === 200, 'ready again, without a restart')
})

test('ready means that reports can be stored: a server that turns read-only is not ready, and still shows what is there', async () => {
  const single = await testApp({ database: 'embedded', env: { DATABASE_URL: one.url('postgres') } })
  single.expectErrors()
  const { id } = await project(single)
  await one.admin(`alter system set default_transaction_read_only = on`)
  await one.admin('select pg_reload_conf()')
  await until(async () => (await health(single))[0] === 503, 'health notices')
  expect(await health(single)).toEqual([503, { status: 'unavailable', database: 'read_only' }])
  expect((await single.as(ALICE)('/api/defects')).status).toBe(200)
  expect((await single.anonymous('/api/health?live')).status).toBe(200)

  const waiting = file(single, id)
  await one.admin('alter system reset default_transaction_read_only')
  await one.admin('select pg_reload_conf()')
  expect((await waiting).status).toBe(201)
  await until(async () => (await health(single))[0] === 200, 'ready again, without a restart')
  await single.stop()
})
