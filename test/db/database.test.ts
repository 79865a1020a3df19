import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createServer, connect as dial, type Server, type Socket } from 'node:net'
import { sql } from 'drizzle-orm'
import { availableAfter, connect } from '../../server/db/database.ts'
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
  expect(await db.health()).toBe('ok')
  forgetConnections()
  expect(await db.health()).toBe('unreachable')
  await until(async () => (await db.health()) === 'ok', 'the health check stays red')
  await db.close()
})

test('two transactions that lock each other out both come through, the one that lost by a second try', async () => {
  const db = connect({ kind: 'postgres', url: database.url })
  await db.write(q => q.execute(sql`create table counters (id int primary key, n int not null)`))
  await db.write(q => q.execute(sql`insert into counters values (1, 0), (2, 0)`))
  const begun = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let tries = 0
  const add = (first: number, second: number, own: number) =>
    db.transaction(async q => {
      tries++
      await q.execute(sql`set local deadlock_timeout = '20ms'`)
      await q.execute(sql`update counters set n = n + 1 where id = ${first}`)
      begun[own]!.resolve()
      await begun[1 - own]!.promise
      await q.execute(sql`update counters set n = n + 1 where id = ${second}`)
    })
  await Promise.all([add(1, 2, 0), add(2, 1, 1)])
  expect(tries).toBe(3)
  expect(await db.read(q => q.execute(sql`select n from counters`))).toMatchObject([{ n: 2 }, { n: 2 }])
  await db.close()
})

test('states of a database or machine that cannot serve now are told from faults of ours', () => {
  const judged = (code: string) => translate(Object.assign(new Error('said'), { code }))
  for (const code of ['53100', '25006', '55000', '57P03', 'ECONNREFUSED', 'EMFILE', 'EADDRNOTAVAIL']) {
    expect([code, judged(code)]).toEqual([code, new DatabaseUnavailable(`${code}: said`)])
  }
  for (const code of ['22021', '23505', '42703', 'ERR_INVALID_ARG_TYPE']) {
    expect([code, judged(code)]).not.toEqual([code, expect.any(DatabaseUnavailable)])
  }
})

test('who comes while the server starts waits for its database, and its health says no until then', async () => {
  const ready = Promise.withResolvers<void>()
  const db = availableAfter(ready.promise, connect({ kind: 'postgres', url: database.url }))
  const early = db.read(q => q.execute<{ n: number }>(sql`select 1 as n`))
  expect(await db.health()).toBe('unreachable')
  ready.resolve()
  expect([...(await early)]).toEqual([{ n: 1 }])
  expect(await db.health()).toBe('ok')
  await db.close()
})

test('a start that takes long lets nobody wait for its end', async () => {
  const db = availableAfter(new Promise(() => {}), connect({ kind: 'postgres', url: database.url }))
  expect(await db.read(q => q.execute(sql`select 1`)).catch(error => error)).toBeInstanceOf(
    DatabaseUnavailable,
  )
  await db.close()
})
