import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync, statSync } from 'node:fs'
import { sql } from 'drizzle-orm'
import { connect } from '../../server/db/database.ts'
import { openTarget } from '../../server/db/open.ts'
import { pushSubscriptions } from '../../server/db/schema.ts'
import { silentLog } from '../../server/log.ts'
import { project, report } from '../support/api.ts'
import { ALICE, BOB, type TestApp, testApp } from '../support/app.ts'
import { executable, faultline, going, home, onTerminal, seed } from '../support/cli.ts'
import { contents } from '../support/contents.ts'
import { generateDefects } from '../support/defects.ts'
import { freshDatabase } from '../support/postgres.ts'
import { until } from '../support/until.ts'

const place = home()
const drops: (() => Promise<void>)[] = [async () => place.remove()]
afterAll(async () => {
  for (const drop of drops.reverse()) await drop()
})

const kinds = ['embedded', 'postgres'] as const
type Kind = (typeof kinds)[number]
let places = 0

/** Settings of a database that nothing was ever put into. */
async function nowhereYet(kind: Kind): Promise<Record<string, string>> {
  if (kind === 'embedded') return { DATA_DIR: place.file(`data-${places++}`) }
  const { url, drop } = await freshDatabase()
  drops.push(drop)
  return { DATABASE_URL: url }
}

/** What a database holds that no server runs on. */
async function contentsOf(env: Record<string, string>) {
  const opened = await openTarget(
    {
      dataDir: env.DATA_DIR ?? 'none',
      databaseUrl: env.DATABASE_URL,
      log: { level: 'error', format: 'json' },
    },
    silentLog,
  )
  const db = connect(opened.target, opened.close)
  try {
    return await contents(db)
  } finally {
    await db.close()
  }
}

async function ok(args: string[], env: Record<string, string>) {
  const { status, out, err } = await faultline(args, { env, cwd: place.path })
  expect({ args, status, err: status ? err : '' }).toEqual({ args, status: 0, err: '' })
  return { out, err }
}

describe.each(kinds)('a backup of %s', from => {
  let app: TestApp
  let env: Record<string, string>
  let taken: Awaited<ReturnType<typeof ok>>
  const file = place.file(`${from}.gz`)

  beforeAll(async () => {
    app = await testApp({ database: from })
    env = { ...app.env, LOG_LEVEL: 'warn' }
    await seed(app.db, 2_500, { verbatim: i => `line\n"${i}" 電源 👩‍🔧 \\ '${'x'.repeat(i % 300)}` })
    await app.db.write(queries =>
      queries.insert(pushSubscriptions).values({
        endpoint: 'https://fcm.googleapis.com/x',
        p256dh: 'p',
        auth: 'a',
        ownerEmail: 'owner@example.com',
        vapidPublicKey: 'v',
        lastOutcome: 'delivered: 201',
        lastOutcomeAt: new Date(1_800_000_000_123),
      }),
    )
    taken = await ok(['backup', file, '--json'], env)
  })
  afterAll(() => app.stop())

  test('taken beside the server is told by its rows, and for nobody else to read', () => {
    expect(JSON.parse(taken.out)).toMatchObject({ rows: { projects: 3, defects: 2_500, devices: 1 } })
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  test.each(kinds)('is restored into %s, row for row', async to => {
    const target = await nowhereYet(to)
    await ok(['restore', file], target)
    expect(await contentsOf(target)).toEqual(await contents(app.db))

    const again = await faultline(['restore', file], { env: target })
    expect(again.status).toBe(1)
    expect(again.err).toContain('not empty')
    expect((await faultline(['counts', '--json'], { env: target })).out).toBe(
      (await faultline(['counts', '--json'], { env })).out,
    )
  })

  test('under load holds everything that was there when it began, and nothing by half', async () => {
    const stop = new AbortController()
    const acknowledged: string[] = []
    const writers = [ALICE, BOB, ALICE, BOB].map(email =>
      keepReporting(app, email, acknowledged, stop.signal),
    )
    await until(() => acknowledged.length > 40, 'reports are coming in')
    const before = [...acknowledged]
    const busy = place.file(`${from}-busy.gz`)
    await ok(['backup', busy], env)
    stop.abort()
    await Promise.all(writers)

    const target = await nowhereYet(from === 'embedded' ? 'postgres' : 'embedded')
    await ok(['restore', busy], target)
    const restored = await contentsOf(target)
    const all = await contents(app.db)
    const ids = new Set(restored.defects.map(row => row.id))
    expect(before.filter(id => !ids.has(id))).toEqual([])
    const byId = new Map(all.defects.map(row => [row.id, row]))
    for (const row of restored.defects) expect(row).toEqual(byId.get(row.id)!)
    const known = new Set(restored.projects.map(project => project.id))
    expect(restored.defects.filter(row => !known.has(row.projectId))).toEqual([])
    expect(Object.values(restored.totals).reduce((a, b) => a + b, 0)).toBe(restored.defects.length)
  })

  test('on a terminal shows how far it is, and nothing of that in a pipe', async () => {
    const { status, screen } = await onTerminal(['backup', place.file(`${from}-seen.gz`)], { env })
    expect(status).toBe(0)
    expect(screen).toContain('Backing up')
    expect(screen).toContain('read back and verified')
    expect(taken.err).not.toContain('Backing up')
  })

  test('that is interrupted leaves no file, and the older one as it was', async () => {
    const older = await Bun.file(file).bytes()
    const again = going(['backup', file], { env })
    expect([0, 130]).toContain(await again.signal('SIGINT'))
    expect(readdirSync(place.path).filter(name => name.endsWith('.partial'))).toEqual([])
    const now = await Bun.file(file).bytes()
    expect(now.length).toBeGreaterThan(0)
    expect(older.length).toBeGreaterThan(0)
  })
})

async function keepReporting(app: TestApp, email: string, acknowledged: string[], stop: AbortSignal) {
  for (let i = 0; !stop.aborted; i++) {
    const { id } = await project(app, `${email} ${i % 50} ${Bun.randomUUIDv7()}`)
    acknowledged.push((await report(app.as(email), id, `under load ${i}`)).id)
  }
}

describe.each(kinds)('what restore refuses for %s', kind => {
  const broken = place.file(`broken-${kind}.gz`)

  test('a broken file is refused before anything is touched', async () => {
    const source = await nowhereYet('embedded')
    await ok(['migrate'], source)
    const file = place.file(`small-${kind}.gz`)
    await ok(['backup', file], source)
    const whole = await Bun.file(file).bytes()
    const target = await nowhereYet(kind)
    for (const bytes of [
      whole.subarray(0, whole.length - 9),
      whole.subarray(0, 5),
      whole.map((b, i) => (i === 40 ? b ^ 255 : b)),
    ]) {
      await Bun.write(broken, bytes)
      const { status, err } = await faultline(['restore', broken], { env: target })
      expect(status).toBe(1)
      expect(err).toMatch(/is not a complete backup: .+\. Nothing was touched\./)
    }
    if (kind === 'embedded') expect(statSync(target.DATA_DIR!, { throwIfNoEntry: false })).toBeUndefined()
    else expect((await faultline(['migrate', '--dry-run', '--json'], { env: target })).out).not.toBe('[]\n')
    await ok(['restore', file], target)
  })

  test('a file that is not there', async () => {
    const { status, err } = await faultline(['restore', place.file('nowhere.gz')], {
      env: await nowhereYet(kind),
    })
    expect(status).toBe(1)
    expect(err).toContain('nowhere.gz cannot be read (ENOENT)')
  })
})

test('beside a server on the embedded database a small restore works and a large one asks to stop it', async () => {
  const app = await testApp({ database: 'postgres' })
  const target = await testApp({ database: 'embedded' })
  try {
    const small = place.file('beside-small.gz')
    const { projects } = await seed(app.db, 50)
    await ok(['backup', small], app.env)
    // More than restore accepts beside a server.
    await generateDefects(app.db, 5_000, { projectId: projects[0]!.id })
    const large = place.file('beside-large.gz')
    await ok(['backup', large], app.env)
    const refused = await faultline(['restore', large], { env: target.env })
    expect(refused.status).toBe(1)
    expect(refused.err).toContain('stop it first')
    await ok(['restore', small], target.env)
    expect(await contents(target.db)).toMatchObject({ defects: expect.any(Array) })
    expect((await contents(target.db)).defects).toHaveLength(50)
  } finally {
    await app.stop()
    await target.stop()
  }
})

test.if(process.env.FAULTLINE_LONG === '1').each(kinds)(
  'a million defects pass through %s in bounded memory',
  async kind => {
    const source = await nowhereYet('postgres')
    await ok(['migrate'], source)
    const db = connect({ kind: 'postgres', url: source.DATABASE_URL! })
    const { projects } = await seed(db, 3)
    await generateDefects(db, 1_000_000, {
      projectId: projects[0]!.id,
      verbatim: sql`repeat('the words of report ' || n || ' ', 1 + n % 12)`,
      createdAt: sql`now() - n * interval '2 seconds'`,
    })
    await db.close()
    const file = place.file(`million-${kind}.gz`)
    const measured = async (args: string[], env: Record<string, string>) => {
      const child = Bun.spawn([executable, ...args], { env, stdout: 'ignore', stderr: 'inherit' })
      expect(await child.exited).toBe(0)
      return (child.resourceUsage()?.maxRSS ?? 0) / 1e6
    }
    expect(await measured(['backup', file], source)).toBeLessThan(300)
    const target = await nowhereYet(kind)
    const restoring = await measured(['restore', file], target)
    // An embedded database computes in the same process.
    expect(restoring).toBeLessThan(kind === 'embedded' ? 700 : 300)
    expect((await ok(['counts', '--json'], target)).out).toBe((await ok(['counts', '--json'], source)).out)
    const back = place.file(`million-${kind}-back.gz`)
    expect(await measured(['backup', back], target)).toBeLessThan(kind === 'embedded' ? 700 : 300)
  },
)
