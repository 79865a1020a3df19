import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createServer, connect as dial, type Server, type Socket } from 'node:net'
import { sql } from 'drizzle-orm'
import { connect } from '../../server/db/database.ts'
import { translate } from '../../server/db/faults.ts'
import { DatabaseUnavailable } from '../../server/errors.ts'
import { freshDatabase } from '../support/postgres.ts'
import { until } from '../support/until.ts'

let database: Awaited<ReturnType<typeof freshDatabase>>
let between: Server
const open = new Set<Socket>()
beforeAll(async () => {
  database = await freshDatabase()
  const { hostname, port } = new URL(database.url)
  between = createServer(client => {
    const server = dial(Number(port), hostname)
    client.pipe(server).pipe(client)
    for (const socket of [client, server]) open.add(socket.on('error', () => socket.destroy()))
  })
  await new Promise<void>(resolve => between.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  for (const socket of open) socket.destroy()
  between.close()
  await database.drop()
})

/** As a firewall does that forgets a connection: it stays open, and nothing passes any more. */
function forgetConnections() {
  for (const socket of open) socket.unpipe().pause()
}

test('connections that went silent are given up, also when nobody but the health check asks', async () => {
  const url = new URL(database.url)
  url.hostname = '127.0.0.1'
  url.port = String((between.address() as { port: number }).port)
  const db = connect({ kind: 'postgres', url: url.href })
  await Promise.all(Array.from({ length: 20 }, () => db.read(q => q.execute(sql`select pg_sleep(0.1)`))))
  expect(await db.ping()).toBe(true)
  forgetConnections()
  expect(await db.ping()).toBe(false)
  await until(() => db.ping(), 'the health check stays red', 20_000)
  await db.close()
}, 30_000)

test('states of a database or machine that cannot serve now are told from faults of ours', () => {
  const judged = (code: string) => translate(Object.assign(new Error('said'), { code }))
  for (const code of ['53100', '25006', '55000', '57P03', 'ECONNREFUSED', 'EMFILE', 'EADDRNOTAVAIL']) {
    expect([code, judged(code)]).toEqual([code, new DatabaseUnavailable(`${code}: said`)])
  }
  for (const code of ['22021', '23505', '42703', 'ERR_INVALID_ARG_TYPE']) {
    expect([code, judged(code)]).not.toEqual([code, expect.any(DatabaseUnavailable)])
  }
})
