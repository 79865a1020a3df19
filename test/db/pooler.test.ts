import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import postgres from 'postgres'
import { connect, type Database } from '../../server/db/database.ts'
import { DatabaseUnsuitable, migrate, pendingMigrations } from '../../server/db/migrate.ts'
import { runPrepared } from '../../server/db/prepared.ts'
import { projects } from '../../server/db/schema.ts'
import { DatabaseUnavailable } from '../../server/errors.ts'
import { post, project, report } from '../support/api.ts'
import { ALICE, type TestApp, testApp } from '../support/app.ts'
import { hasPgBouncer, type Pooler, startPgBouncer } from '../support/pgbouncer.ts'
import { freshDatabase } from '../support/postgres.ts'
import { until } from '../support/until.ts'

describe.skipIf(!hasPgBouncer)('behind PgBouncer in transaction mode (needs pgbouncer)', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>
  let admin: postgres.Sql
  let pooler: Pooler
  let target: { kind: 'postgres'; url: string; pooled: true }
  beforeAll(async () => {
    database = await freshDatabase()
    admin = postgres(database.url, { max: 1, onnotice() {} })
    pooler = await startPgBouncer(database.url, { size: 3 })
    target = { kind: 'postgres', url: pooler.url, pooled: true }
  })
  afterAll(async () => {
    await pooler?.remove()
    await admin?.end()
    await database?.drop()
  })

  const refusal = () =>
    migrate(target).then(
      () => undefined,
      error => error as Error,
    )

  test('without the setting a pooler is recognised, in either mode, and the setting is named', async () => {
    const sessions = await startPgBouncer(database.url, { mode: 'session' })
    for (const { url } of [pooler, sessions]) {
      const error = await migrate({ kind: 'postgres', url }).catch(fault => fault)
      expect(error).toBeInstanceOf(DatabaseUnsuitable)
      expect(error.message).toContain('set DATABASE_POOLER=transaction')
    }
    await sessions.remove()
  })

  test('settings that the role does not bring are told as the statements that set them', async () => {
    const error = await refusal()
    expect(error).toBeInstanceOf(DatabaseUnsuitable)
    const [, statements = ''] = /in the pooler: (.*)$/.exec(error!.message) ?? []
    expect(statements).toContain("set search_path = 'public'")
    expect(statements).toContain("set statement_timeout = '4500'")
    await admin.unsafe(statements)
    await pooler.remove()
    pooler = await startPgBouncer(database.url, { size: 3 })
    target = { kind: 'postgres', url: pooler.url, pooled: true }
    expect(await pendingMigrations(target)).not.toEqual([])
  })

  test('five that start at once on an empty database migrate it once, and leave no lock behind', async () => {
    const names = await pendingMigrations(target)
    const applied = await Promise.all(Array.from({ length: 5 }, () => migrate(target)))
    expect(applied.flat().toSorted()).toEqual(names)
    expect(
      await admin`select from pg_locks join pg_database d on d.oid = database
      where locktype = 'advisory' and datname = current_database()`,
    ).toHaveLength(0)
    expect(await pendingMigrations(target)).toEqual([])
  })

  describe('the product', () => {
    let app: TestApp
    beforeAll(async () => {
      const env = { DATABASE_URL: pooler.url, DATABASE_POOLER: 'transaction' }
      app = await testApp({ database: 'embedded', env })
    })
    afterAll(() => app.stop())

    test('files, finds and counts', async () => {
      const { id } = await project(app)
      const filed = await report(app.as(ALICE), id)
      expect(await (await app.as(ALICE)('/api/defects?limit=1')).json()).toEqual([filed])
      expect(await (await app.as(ALICE)('/api/defects/counts?since=1d')).json()).toMatchObject({
        'usb-port': 1,
      })
    })

    test('a statement over its deadline is 503, and ends in the server', async () => {
      app.expectErrors()
      const { id } = await project(app)
      const holding = Promise.withResolvers<void>()
      const held = Promise.withResolvers<void>()
      const holder = postgres(database.url, { max: 1, onnotice() {} })
      const lock = holder.begin(async tx => {
        await tx`lock table defects in access exclusive mode`
        held.resolve()
        await holding.promise
      })
      await held.promise
      const body = { section_id: 'cpu', project_id: id, verbatim: 'waits for its deadline' }
      expect((await post(app.as(ALICE), '/api/defects', body)).status).toBe(503)
      const waits = () =>
        admin`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
      await until(async () => (await waits()).length === 0, 'nothing waits in the server')
      holding.resolve()
      await lock
      await holder.end()
      expect((await post(app.as(ALICE), '/api/defects', body)).status).toBe(201)
    }, 30_000)
  })

  test('two clients that ask the same statements at once never see rows of each other', async () => {
    const clients = [connect(target), connect(target)]
    const query = { getQuery: () => ({ sql: 'select $1::int * 2 as twice, $2::text as who', params: [] }) }
    const ask = async (db: Database, who: string, n: number) => {
      const text =
        n % 2
          ? query
          : { getQuery: () => ({ sql: 'select $2::text as who, $1::int * 2 as twice', params: [] }) }
      const asked = { getQuery: () => ({ ...text.getQuery(), params: [n, who] }) }
      const rows = await db.read(queries => runPrepared(queries, asked, {}))
      expect(rows as object[]).toEqual([{ twice: n * 2, who }])
    }
    const rounds = Array.from({ length: 300 }, (_, n) => n)
    await Promise.all(clients.flatMap((db, i) => rounds.map(n => ask(db, `client ${i}`, n))))
    await Promise.all(clients.map(db => db.close()))
  })

  test('what a transaction acknowledged is stored', async () => {
    const clients = [connect(target), connect(target)]
    const rows = Array.from({ length: 200 }, (_, n) => ({
      id: Bun.randomUUIDv7(),
      name: `acknowledged ${n}`,
    }))
    await Promise.all(
      rows.map((row, n) =>
        clients[n % 2]!.transaction(async tx => {
          await tx.execute(sql`select pg_backend_pid()`)
          await tx.insert(projects).values(row)
        }),
      ),
    )
    const stored = await admin`select id from projects where name like 'acknowledged %'`
    expect(stored.map(({ id }) => id).toSorted()).toEqual(rows.map(({ id }) => id).toSorted())
    await Promise.all(clients.map(db => db.close()))
  })

  test('what a caller gave up does not run on in the server', async () => {
    const db = connect(target)
    const error = await db.read(queries => queries.execute(sql`select pg_sleep(600)`)).catch(fault => fault)
    expect(error).toBeInstanceOf(DatabaseUnavailable)
    const running = () =>
      admin`select from pg_stat_activity where query = 'select pg_sleep(600)' and state = 'active'`
    await until(async () => (await running()).length === 0, 'it ends in the server')
    await db.close()
  }, 60_000)
})
