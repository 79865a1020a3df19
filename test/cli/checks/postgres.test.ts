import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import postgres from 'postgres'
import type { Check } from '../../../cli/checks/check.ts'
import { checkPostgres, checkRights } from '../../../cli/checks/postgres.ts'
import type { Target } from '../../../server/db/client.ts'
import { connect, type Database } from '../../../server/db/database.ts'
import { migrate } from '../../../server/db/migrate.ts'
import { hasPgBouncer, startPgBouncer } from '../../support/pgbouncer.ts'
import { freshDatabase } from '../../support/postgres.ts'

const role = `doctored_${process.pid}`
let database: Awaited<ReturnType<typeof freshDatabase>>
let admin: postgres.Sql
beforeAll(async () => {
  database = await freshDatabase()
  admin = postgres(database.url, { max: 1, onnotice() {} })
  await migrate({ kind: 'postgres', url: database.url })
  await admin.unsafe(`create role ${role} login`)
})
afterAll(async () => {
  await admin?.end()
  await database?.drop()
  const cluster = postgres(database.url.replace(/[^/]+$/, 'postgres'), { max: 1, onnotice() {} })
  await cluster.unsafe(`drop role if exists ${role}`)
  await cluster.end()
})

async function looking<T>(target: Target, look: (db: Database) => Promise<T>): Promise<T> {
  const db = connect(target)
  try {
    return await look(db)
  } finally {
    await db.close()
  }
}

const target = (url = database.url, pooled?: true) => ({ kind: 'postgres', url, pooled }) as const
const examined = (url?: string, pooled?: true) =>
  looking(target(url, pooled), db => checkPostgres(db, target(url, pooled), false))
const faultsOf = (checks: Check[]) => checks.filter(({ status }) => status === 'fault')

test('a PostgreSQL that does not force what it stores to the disk is warned of', async () => {
  const checks = await examined()
  expect(checks.map(({ status, said }) => [status, said.split(' ')[0]!]).toSorted()).toEqual([
    ['warning', 'fsync'],
    ['warning', 'full_page_writes'],
    ['warning', 'synchronous_commit'],
  ])
  expect(checks[0]?.mend).toContain('alter system set')
})

test.each([false, true])(
  'rights that a role lacks are told as the statements that grant them (migrating: %p)',
  async migrating => {
    const url = new URL(database.url)
    url.username = role
    const missing = () => looking(target(url.href), db => checkRights(db, migrating))
    const found = await missing()
    expect(found.map(({ said }) => said).join('\n')).toMatch(
      migrating ? /belongs to another role/ : /may not select, insert on public\.defects/,
    )
    for (const { mend = '' } of found) await admin.unsafe(mend.replace(/, or .*/, ''))
    expect(await missing()).toEqual([])
  },
)

describe.skipIf(!hasPgBouncer)('what stands between (needs pgbouncer)', () => {
  const through = async (options: Parameters<typeof startPgBouncer>[1], pooled?: true) => {
    const pooler = await startPgBouncer(database.url, options)
    const checks = await examined(pooler.url, pooled)
    await pooler.remove()
    return checks
  }

  test('a pooler of transactions is as DATABASE_POOLER says', async () => {
    const checks = await through({ mode: 'transaction' }, true)
    expect(faultsOf(checks)).toEqual([])
    expect(checks).toContainEqual({
      name: 'database',
      status: 'ok',
      said: expect.stringContaining('as DATABASE_POOLER says'),
    })
  })

  test('a pooler of statements is a fault', async () => {
    expect(faultsOf(await through({ mode: 'statement' }, true))).toMatchObject([
      { mend: 'set pool_mode = transaction in the pooler' },
    ])
  })

  test('a pooler that throws the settings of a connection away is found', async () => {
    const more =
      'ignore_startup_parameters = search_path,IntervalStyle,bytea_output,extra_float_digits,row_security,idle_session_timeout,default_transaction_isolation,statement_timeout,lock_timeout,idle_in_transaction_session_timeout'
    expect(faultsOf(await through({ mode: 'session', more }))).toMatchObject([
      { mend: 'set DATABASE_POOLER=transaction' },
    ])
  })

  test('DATABASE_POOLER without a pooler costs time for nothing', async () => {
    expect((await examined(database.url, true)).at(0)).toMatchObject({
      status: 'warning',
      mend: expect.stringContaining('leave DATABASE_POOLER out'),
    })
  })
})
