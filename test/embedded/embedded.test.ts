import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { DataDirForeign } from '../../server/embedded/data-dir.ts'
import { DataDirBusy } from '../../server/embedded/lock.ts'
import { type Embedded, findRunning, openEmbedded } from '../../server/embedded/postgres.ts'
import { silentLog } from '../../server/log.ts'
import { until } from '../support/until.ts'

let home: string
let dataDir: string
const opened: Embedded[] = []
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'faultline-embedded-'))
  dataDir = join(home, 'data')
})
afterEach(async () => {
  for (const database of opened.splice(0)) await database.close()
  rmSync(home, { recursive: true, force: true })
})

async function open(directory = dataDir, options = {}) {
  const database = await openEmbedded(directory, silentLog, options)
  opened.push(database)
  return database
}

const client = ({ socketPath }: Embedded, max = 1, prepare = false) =>
  postgres({
    path: socketPath,
    user: 'postgres',
    database: 'postgres',
    max,
    fetch_types: false,
    prepare,
    onnotice() {},
  } as never)

describe('the data directory', () => {
  test('is for its user alone, and comes back with what was stored', async () => {
    const database = await open()
    expect(statSync(dataDir).mode & 0o777).toBe(0o700)
    const sql = client(database)
    await sql`create table kept (n int)`
    await sql`insert into kept values (42)`
    await sql.end()
    await opened.pop()!.close()
    const again = client(await open())
    expect(await again`select n from kept`).toMatchObject([{ n: 42 }])
    await again.end()
  })

  test('is held by one process at a time, whatever its spelling, and the holder is named', async () => {
    await open()
    symlinkSync(dataDir, join(home, 'link'))
    for (const spelling of [dataDir, `${dataDir}/../data/`, join(home, 'link')]) {
      const refused = openEmbedded(spelling, silentLog)
      expect(refused).rejects.toThrow(DataDirBusy)
      expect(refused).rejects.toThrow(`process ${process.pid}`)
      await refused.catch(() => {})
      expect(findRunning(spelling)?.pid).toBe(process.pid)
    }
  })

  test('can be waited for while a command holds it for a moment', async () => {
    const first = await open()
    opened.pop()
    const waiting = open(dataDir, { waitMs: 20_000 })
    await first.close()
    await waiting
  })

  test('that another major version of PostgreSQL wrote is refused with advice and left as it is', async () => {
    mkdirSync(join(dataDir, 'pgdata'), { recursive: true })
    writeFileSync(join(dataDir, 'pgdata/PG_VERSION'), '16\n')
    writeFileSync(join(dataDir, 'pgdata/precious'), 'data')
    const refused = openEmbedded(dataDir, silentLog)
    expect(refused).rejects.toThrow(DataDirForeign)
    expect(refused).rejects.toThrow('back it up with the version that wrote it')
    await refused.catch(() => {})
    expect(readFileSync(join(dataDir, 'pgdata/precious'), 'utf8')).toBe('data')
    expect(readFileSync(join(dataDir, 'pgdata/PG_VERSION'), 'utf8')).toBe('16\n')
  })

  test('half laid out by a start that was killed is laid out anew', async () => {
    mkdirSync(join(dataDir, 'pgdata.4711/base'), { recursive: true })
    writeFileSync(join(dataDir, 'pgdata.4711/PG_VERSION'), '18\n')
    const sql = client(await open())
    expect(await sql`select 1 as one`).toMatchObject([{ one: 1 }])
    await sql.end()
    expect(existsSync(join(dataDir, 'pgdata.4711'))).toBe(false)
  })

  test('may have a path longer than a socket takes', async () => {
    const deep = join(home, 'a'.repeat(60), 'b'.repeat(60), 'data')
    const sql = client(await open(deep))
    expect(await sql`select 1 as one`).toMatchObject([{ one: 1 }])
    expect(findRunning(deep)?.pid).toBe(process.pid)
    await sql.end()
  })
})

test('a lock ends with its process, however that ends: no stale one is left, no reused pid is mistaken', async () => {
  const holder = Bun.spawn([process.execPath, join(import.meta.dir, '../support/holder.ts'), dataDir], {
    stdout: 'pipe',
  })
  const reader = holder.stdout.getReader()
  expect(new TextDecoder().decode((await reader.read()).value)).toContain('held')
  expect(findRunning(dataDir)?.pid).toBe(holder.pid)
  expect(openEmbedded(dataDir, silentLog)).rejects.toThrow(DataDirBusy)
  holder.kill('SIGKILL')
  await holder.exited
  // As if the pid had gone to somebody else who lives: the announcement stays, the lock is gone.
  const announced = JSON.parse(readFileSync(join(dataDir, 'holder.json'), 'utf8'))
  writeFileSync(join(dataDir, 'holder.json'), JSON.stringify({ ...announced, pid: process.pid }))
  expect(findRunning(dataDir)).toBeUndefined()
  await open()
})

test('a commit reaches the disk before it is acknowledged', async () => {
  const database = await open()
  const sql = client(database)
  await sql`create table t (n int)`
  for (let i = 0; i < 20; i++) {
    const before = await database.syncs()
    await sql`insert into t values (${i})`
    expect(await database.syncs()).toBeGreaterThan(before)
  }
  const before = await database.syncs()
  await sql`select * from t`
  expect(await database.syncs()).toBe(before)
  await sql.end()
})

describe('many clients on one session', () => {
  test('do not see into each other’s transactions', async () => {
    const database = await open()
    const [one, two] = [client(database), client(database)]
    await one`create table t (n int)`
    const order: string[] = []
    const begun = Promise.withResolvers<void>()
    const inside = one.begin(async tx => {
      await tx`insert into t values (1)`
      begun.resolve()
      for (let i = 0; i < 20; i++) await tx`select 1`
      order.push('commit')
    })
    await begun.promise
    const outside = two`select count(*)::int as n from t`.then(rows => {
      order.push('read')
      return rows
    })
    await inside
    expect(await outside).toMatchObject([{ n: 1 }])
    expect(order).toEqual(['commit', 'read'])
    await Promise.all([one.end(), two.end()])
  })

  test('one that dies in a transaction is rolled back, and the others go on', async () => {
    const database = await open()
    const [one, two] = [client(database), client(database)]
    await two`create table t (n int)`
    const dying = one.begin(async tx => {
      await tx`insert into t values (1)`
      await one.end({ timeout: 0 })
    })
    await dying.catch(() => {})
    expect(await two`select count(*)::int as n from t`).toMatchObject([{ n: 0 }])
    await two.end()
  })

  test('one that idles in a transaction is dropped after two seconds', async () => {
    const database = await open()
    const [one, two] = [client(database), client(database)]
    await two`create table t (n int)`
    const begun = Promise.withResolvers<void>()
    const idling = one.begin(async tx => {
      await tx`insert into t values (1)`
      begun.resolve()
      await new Promise(() => {})
    })
    const ended = idling.then(
      () => 'committed',
      () => 'dropped',
    )
    await begun.promise
    expect(await two`select count(*)::int as n from t`).toMatchObject([{ n: 0 }])
    expect(await ended).toBe('dropped')
    await two.end()
    await one.end({ timeout: 0 })
  })

  test('parameters of concurrent statements never mix', async () => {
    const database = await open()
    const clients = Array.from({ length: 10 }, () => client(database, 2))
    const answers = await Promise.all(
      Array.from({ length: 600 }, async (_, i) => {
        const sql = clients[i % clients.length]!
        const [row] =
          i % 2 ? await sql`select ${i}::int as n, ${'x'.repeat(i)} as s` : await sql`select ${i}::int as n`
        return row!.n === i && (i % 2 === 0 || row!.s.length === i)
      }),
    )
    expect(answers.every(Boolean)).toBe(true)
    await Promise.all(clients.map(sql => sql.end()))
  })

  test('settings of one are gone when it leaves', async () => {
    const database = await open()
    const one = client(database)
    await one`set application_name = 'somebody'`
    await one.end()
    const two = client(database)
    expect(await two`show application_name`).not.toMatchObject([{ application_name: 'somebody' }])
    await two.end()
  })

  test('statements that one prepared are gone when it leaves, and those of the others stay', async () => {
    const database = await open()
    const [one, two] = [client(database, 1, true), client(database, 1, true)]
    const prepare = { prepare: true, simple: false } as object
    await one.unsafe('select 1 as n', [], prepare)
    await two.unsafe('select 2 as n', [], prepare)
    const prepared = () =>
      two`select statement from pg_prepared_statements where statement like 'select _ as n'`
    expect(await prepared()).toHaveLength(2)
    await one.end()
    await until(async () => (await prepared()).length === 1, 'the statement is gone')
    expect(await prepared()).toMatchObject([{ statement: 'select 2 as n' }])
    expect(await two.unsafe('select 2 as n', [], prepare)).toMatchObject([{ n: 2 }])
    await two.end()
  })

  test('a statement that fails spoils nothing', async () => {
    const database = await open()
    const sql = client(database)
    for (let i = 0; i < 5; i++) {
      expect(sql`select ${i}::int / 0`.then(() => {})).rejects.toThrow('division by zero')
      expect(await sql`select ${i}::int as n`).toMatchObject([{ n: i }])
    }
    await sql.end()
  })

  test('a long statement does not stop this thread', async () => {
    const sql = client(await open())
    let turns = 0
    const turning = setInterval(() => turns++, 5)
    await sql`select count(*) from generate_series(1, 3000000)`
    clearInterval(turning)
    expect(turns).toBeGreaterThan(10)
    await sql.end()
  })
})
