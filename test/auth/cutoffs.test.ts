import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Cutoffs, createCutoffs, endSessions, followCutoffs } from '../../server/auth/cutoffs.ts'
import { createSessions } from '../../server/auth/session.ts'
import { writeBackup } from '../../server/backup/backup.ts'
import { restoreBackup, verifyBackup } from '../../server/backup/restore.ts'
import { connect, type Database } from '../../server/db/database.ts'
import { sessionCutoffs } from '../../server/db/schema.ts'
import { DatabaseUnavailable } from '../../server/errors.ts'
import { testConfig } from '../support/config.ts'
import { emptyDatabase } from '../support/database.ts'
import { until } from '../support/until.ts'

const HOUR = 3_600_000
const config = testConfig({ PUBLIC_URL: 'http://127.0.0.1:3000' })

describe.each(['postgres', 'embedded'] as const)('on %s', kind => {
  let db: Database
  let remove: () => Promise<void>
  beforeAll(async () => {
    const database = await emptyDatabase(kind)
    remove = database.remove
    db = connect(database.target)
  })
  afterAll(async () => {
    await db.close()
    await remove()
  })

  /** An instance whose clock is wrong by so much. */
  async function instance(offMs = 0) {
    const cutoffs = createCutoffs(db, () => Date.now() + offMs)
    await cutoffs.read()
    const sessions = createSessions(config, cutoffs)
    const begin = async (email: string) => (await sessions.begin(email)).split(';')[0]!
    const isIn = async (cookie: string) => (await sessions.open(cookie)) !== undefined
    return { cutoffs, begin, isIn }
  }
  /** Ends them, and waits until no instance dates a session before that. */
  async function end(instances: { cutoffs: Cutoffs }[], person?: string) {
    await endSessions(db, person)
    const rows = await db.read(queries => queries.select().from(sessionCutoffs))
    const latest = Math.max(...rows.map(({ endedBefore }) => endedBefore.getTime()))
    await until(() => instances.every(({ cutoffs }) => cutoffs.now() > latest + 1))
  }

  test('a session that began before is over on every instance, whatever its clock says; one that begins after is not', async () => {
    const instances = await Promise.all([instance(), instance(HOUR), instance(-HOUR)])
    const before = await Promise.all(instances.map(({ begin }) => begin('alice@example.com')))
    const bobs = await instances[1]!.begin('bob@example.com')
    for (const { isIn } of instances)
      for (const cookie of [...before, bobs]) expect(await isIn(cookie)).toBe(true)
    await end(instances, 'alice@example.com')
    const after = await Promise.all(instances.map(({ begin }) => begin('alice@example.com')))
    for (const { cutoffs, isIn } of instances) {
      await cutoffs.read()
      for (const cookie of before) expect(await isIn(cookie)).toBe(false)
      for (const cookie of [...after, bobs]) expect(await isIn(cookie)).toBe(true)
    }
    await end(instances)
    for (const { cutoffs, isIn } of instances) {
      await cutoffs.read()
      for (const cookie of [...before, ...after, bobs]) expect(await isIn(cookie)).toBe(false)
    }
  })

  test('an instance learns of it by itself', async () => {
    const { cutoffs, begin, isIn } = await instance()
    const cookie = await begin('carol@example.com')
    await endSessions(db, 'carol@example.com')
    expect(await isIn(cookie)).toBe(true)
    const following = followCutoffs(cutoffs)
    await until(async () => !(await isIn(cookie)))
    following.stop()
  })

  test('a cut-off never moves back', async () => {
    const far = new Date(Date.now() + HOUR)
    await db.write(queries =>
      queries.insert(sessionCutoffs).values({ email: 'dan@example.com', endedBefore: far }),
    )
    await endSessions(db, 'dan@example.com')
    const rows = await db.read(queries => queries.select().from(sessionCutoffs))
    expect(rows.find(({ email }) => email === 'dan@example.com')?.endedBefore).toEqual(far)
  })

  test('a restore lets nobody in again, and a database with nothing but cut-offs is empty', async () => {
    const home = mkdtempSync(join(tmpdir(), 'faultline-cutoffs-'))
    const file = join(home, 'backup.gz')
    await writeBackup(db, file, { version: '1' })
    const other = await emptyDatabase(kind)
    const target = connect(other.target)
    const cutoffs = createCutoffs(target)
    await cutoffs.read()
    const sessions = createSessions(config, cutoffs)
    const cookie = await sessions.begin('alice@example.com')
    const far = new Date(Date.now() + HOUR)
    await target.write(queries =>
      queries.insert(sessionCutoffs).values({ email: 'erin@example.com', endedBefore: far }),
    )
    await restoreBackup(target, file, await verifyBackup(file))
    await cutoffs.read()
    expect(await sessions.open(cookie)).toBeUndefined()
    const rows = await target.read(queries => queries.select().from(sessionCutoffs))
    const of = (person: string) => rows.find(({ email }) => email === person)?.endedBefore
    expect(of('*')).toEqual(far)
    expect(of('alice@example.com')).toBeDefined()
    await target.close()
    await other.remove()
    rmSync(home, { recursive: true })
  })
})

describe('while it is not known which sessions were ended', () => {
  const away: Cutoffs = {
    ...createCutoffs({} as Database),
    read: () => Promise.reject(new DatabaseUnavailable('away')),
  }
  const sessions = createSessions(config, away)

  test('a good session is refused as long as it cannot be known', async () => {
    const cookie = await createSessions(config).begin('alice@example.com')
    expect(sessions.open(cookie)).rejects.toBeInstanceOf(DatabaseUnavailable)
  })

  test('what is no session is none', async () => {
    expect(sessions.open(null)).toBeUndefined()
    expect(await sessions.open('faultline=Fe26.2*x')).toBeUndefined()
  })

  test('none begins', () => {
    expect(sessions.begin('alice@example.com')).rejects.toBeInstanceOf(DatabaseUnavailable)
  })
})
