import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import postgres from 'postgres'
import { SESSION_SETTINGS } from '../../server/db/client.ts'
import { DatabaseUnsuitable, migrate } from '../../server/db/migrate.ts'
import { post, project, report } from '../support/api.ts'
import { ALICE, type TestApp, testApp } from '../support/app.ts'
import { freshDatabase } from '../support/postgres.ts'

let database: Awaited<ReturnType<typeof freshDatabase>>
let admin: postgres.Sql
let app: TestApp
let name: string
beforeAll(async () => {
  database = await freshDatabase()
  name = new URL(database.url).pathname.slice(1)
  admin = postgres(database.url, { max: 1, onnotice() {} })
  app = await testApp({ database: 'embedded', env: { DATABASE_URL: database.url } })
})
afterAll(async () => {
  await app.stop()
  await admin.end()
  await database.drop()
})

/** The product on connections that begin with this setting. */
async function under(setting: string, use: () => Promise<void>) {
  await admin.unsafe(`alter database ${name} set ${setting}`)
  try {
    await app.restart()
    await use()
  } finally {
    await admin.unsafe(`alter database ${name} reset all`)
  }
}

/** What the settings below can spoil: times, text, lists, who sees which row and who waits for whom. */
async function fileAndRead() {
  const send = app.as(ALICE)
  const name = `Übung ${Bun.randomUUIDv7()}`
  const created = await Promise.all(Array.from({ length: 20 }, () => project(app, name)))
  expect(new Set(created.map(({ id }) => id)).size).toBe(1)
  const verbatim = String.raw`back\slash, 'quote', Ünïcode 電源`
  const filed = await report(send, created[0]!.id, verbatim)
  expect(filed).toMatchObject({ verbatim, project_name: name })
  expect(filed.created_at).toBe(new Date(filed.created_at).toISOString())
  const feed = await (await send('/api/defects?limit=1')).json()
  expect(feed).toEqual([filed])
  expect((await send('/api/defects/counts?since=1d')).status).toBe(200)
}

const settings = [
  `datestyle = 'German, DMY'`,
  `datestyle = 'SQL, DMY'`,
  `intervalstyle = 'iso_8601'`,
  `bytea_output = 'escape'`,
  `timezone = 'Pacific/Kiritimati'`,
  `extra_float_digits = '-15'`,
  `standard_conforming_strings = 'off'`,
  `row_security = 'off'`,
  `client_encoding = 'LATIN1'`,
  `search_path = 'nowhere'`,
  `default_transaction_isolation = 'serializable'`,
  `default_transaction_isolation = 'repeatable read'`,
  `statement_timeout = '1ms'`,
  `lock_timeout = '1ms'`,
  `idle_in_transaction_session_timeout = '1ms'`,
]

describe('what a database sets for everybody changes nothing for us:', () => {
  test.each(settings)('%s', async setting => under(setting, fileAndRead))
})

test('every setting that sessions rely on is in force whatever the role sets', async () => {
  const unlike: Record<string, string> = {
    search_path: 'nowhere',
    TimeZone: 'Asia/Tokyo',
    DateStyle: 'German, DMY',
    IntervalStyle: 'sql_standard',
    bytea_output: 'escape',
    extra_float_digits: '0',
    standard_conforming_strings: 'off',
    row_security: 'off',
    default_transaction_isolation: 'serializable',
    idle_session_timeout: '1d',
    application_name: 'somebody',
  }
  expect(Object.keys(unlike).sort()).toEqual(Object.keys(SESSION_SETTINGS).sort())
  const role = `role postgres in database ${name}`
  for (const [setting, value] of Object.entries(unlike)) {
    await admin.unsafe(`alter ${role} set ${setting} = '${value}'`)
  }
  await app.restart()
  const rows = await app.db.read(queries =>
    queries.execute<{ name: string; value: string }>('select name, setting as value from pg_settings'),
  )
  await admin.unsafe(`alter ${role} reset all`)
  const inForce = Object.fromEntries(rows.map(({ name, value }) => [name, value]))
  const expected = Object.entries(SESSION_SETTINGS).map(([name, value]) => [name, String(value)])
  expect(inForce).toMatchObject(Object.fromEntries(expected))
})

/** A database nobody was in yet, with this setting for everybody. */
async function freshUnder(setting: string) {
  const fresh = await freshDatabase()
  await admin.unsafe(`alter database ${new URL(fresh.url).pathname.slice(1)} set ${setting}`)
  return { target: { kind: 'postgres', url: fresh.url } as const, drop: fresh.drop }
}

test.each(['statement_timeout', 'lock_timeout'])(
  'a migration is not ended by the %s of a database',
  async name => {
    const { target, drop } = await freshUnder(`${name} = '1ms'`)
    expect(await migrate(target)).not.toEqual([])
    await drop()
  },
)

test('a database that fires no triggers is refused with what to change, for nothing would be counted', async () => {
  const { target, drop } = await freshUnder(`session_replication_role = 'replica'`)
  const fault = await migrate(target).catch(error => error)
  expect(fault).toBeInstanceOf(DatabaseUnsuitable)
  expect(fault.message).toContain(`set it to 'origin'`)
  await drop()
})

test('a database that only reads answers a report with 503 and still shows what is there', async () => {
  const { id } = await project(app)
  await under(`default_transaction_read_only = 'on'`, async () => {
    const send = app.as(ALICE)
    const body = { section_id: 'cpu', project_id: id, verbatim: 'filed into a database that only reads' }
    expect((await post(send, '/api/defects', body)).status).toBe(503)
    expect((await send('/api/defects')).status).toBe(200)
  })
})
