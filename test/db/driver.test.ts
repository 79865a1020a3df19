import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import postgres from 'postgres'
import { freshDatabase, startCluster } from '../support/postgres.ts'
import { until } from '../support/until.ts'

/** What `patches/postgres@3.4.9.patch` mends; each of these hung, crashed or answered wrongly without it. */
let database: Awaited<ReturnType<typeof freshDatabase>>
let admin: postgres.Sql
const clients: postgres.Sql[] = []
beforeAll(async () => {
  database = await freshDatabase()
  admin = postgres(database.url, { max: 1, onnotice() {} })
  await admin`create table filed (n int)`
})
beforeEach(async () => {
  await admin`truncate filed`
})
afterAll(async () => {
  for (const sql of clients) await sql.end({ timeout: 1 })
  await admin.end()
  await database.drop()
})

const client = (options: postgres.Options<Record<string, never>> = {}, url = database.url) => {
  const sql = postgres(url, { max: 1, fetch_types: false, backoff: () => 0, onnotice() {}, ...options })
  clients.push(sql)
  return sql
}

/** A client whose newest socket is in our hands. */
function clientWithSocket() {
  const { hostname, port } = new URL(database.url)
  const held: { socket?: Socket } = {}
  const options = {
    socket: async () => {
      held.socket = connect(Number(port), hostname)
      await new Promise(resolve => held.socket!.once('connect', resolve))
      return held.socket
    },
  }
  return { sql: client(options as object), held }
}

const outcome = (work: PromiseLike<unknown>) =>
  Promise.resolve(work).then(
    () => 'done',
    error => error.code as string,
  )

const endBackend = async (pid: number) => await admin`select pg_terminate_backend(${pid}, 5000)`
const pidOf = async (sql: postgres.Sql) => (await sql`select pg_backend_pid() as pid`)[0]!.pid as number

test('a connection that is dropped while a write is due sends again once it is back', async () => {
  const { sql, held } = clientWithSocket()
  await sql`select 1`
  const due = sql`select 2`.execute()
  held.socket!.destroy()
  expect(await outcome(due)).toBe('CONNECTION_CLOSED')
  expect(await sql`select 3 as n`).toMatchObject([{ n: 3 }])
})

test('what a connection was told when it was ended is not the answer to the next statement', async () => {
  const sql = client()
  const pid = await pidOf(sql)
  const running = outcome(sql`select pg_sleep(60)`)
  await until(
    async () =>
      (await admin`select from pg_stat_activity where pid = ${pid} and state = 'active'`).length > 0,
  )
  await endBackend(pid)
  expect(await running).not.toBe('done')
  expect(await sql`select 3 as n`).toMatchObject([{ n: 3 }])
})

test('a result that broke off leaves no holes in the next one', async () => {
  const { sql, held } = clientWithSocket()
  await sql`select 1`
  const large = outcome(sql`select n, repeat('x', 1000) from generate_series(1, 100000) as n`)
  let bytes = 0
  held.socket!.on('data', chunk => {
    bytes += chunk.length
    if (bytes > 1_000_000) held.socket!.destroy()
  })
  expect(await large).toBe('CONNECTION_CLOSED')
  expect([...(await sql`select n from generate_series(1, 3) as n`)]).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
})

test('statements of a transaction whose connection ended are refused, and none of them runs outside it', async () => {
  const sql = client()
  const ended = Promise.withResolvers<void>()
  const codes: string[] = []
  const transaction = sql.begin(async tx => {
    await tx`insert into filed values (1)`
    const [row] = await tx`select pg_backend_pid() as pid`
    await endBackend(row!.pid)
    // Another's statement brings the connection back before the transaction goes on.
    await ended.promise
    codes.push(await outcome(tx`insert into filed values (2)`))
    codes.push(await outcome(tx`commit`))
  })
  expect(await outcome(transaction)).not.toBe('done')
  expect(await sql`select 1 as n`).toMatchObject([{ n: 1 }])
  ended.resolve()
  await until(() => codes.length === 2)
  expect(codes).toEqual(['CONNECTION_CLOSED', 'CONNECTION_CLOSED'])
  expect(await admin`select n from filed`).toHaveLength(0)
})

test('a client ends although its connection was reset under a statement', async () => {
  const { sql, held } = clientWithSocket()
  await sql`select 1`
  const running = outcome(sql`select pg_sleep(60)`)
  await Bun.sleep(0)
  held.socket!.destroy(Object.assign(new Error('reset'), { code: 'ECONNRESET' }))
  expect(await running).toBe('ECONNRESET')
  await sql.end()
})

test('primary and read-write both go past a host that is down and a standby', async () => {
  const standby = await startCluster({ durable: false, standby: true })
  const hosts = `127.0.0.1:1,127.0.0.1:${standby.port},${new URL(database.url).host}`
  for (const wanted of ['primary', 'read-write']) {
    const sql = client({}, `postgres://postgres@${hosts}/postgres?target_session_attrs=${wanted}`)
    expect(await sql`select pg_is_in_recovery() as standby`).toMatchObject([{ standby: false }])
  }
  await standby.remove()
})
