import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { connect, type Database } from '../../server/db/database.ts'
import { findOrCreateProject } from '../../server/projects/service.ts'
import { project, report } from '../support/api.ts'
import { ALICE, type TestApp, testApp } from '../support/app.ts'
import { faultline, type Going, going, home, sections } from '../support/cli.ts'
import { fileDefects } from '../support/defects.ts'
import { freePort, startCluster } from '../support/postgres.ts'
import { until } from '../support/until.ts'

const long = process.env.FAULTLINE_LONG === '1'
const WRITERS = 8
const EACH = long ? 500 : 60

const printed = (tail: Going) => tail.out.map(line => JSON.parse(line) as { id: string; verbatim: string })

async function reporter(app: TestApp) {
  const { id } = await project(app, 'Tailed')
  return async (verbatim: string, section = sections()[0]) =>
    (await report(app.as(ALICE), id, verbatim, section)).id
}

describe.each(['embedded', 'postgres'] as const)('tail -f on %s', database => {
  let app: TestApp
  let env: Record<string, string>
  let file: Awaited<ReturnType<typeof reporter>>

  beforeAll(async () => {
    app = await testApp({ database })
    env = { ...app.env, LOG_LEVEL: 'warn' }
    file = await reporter(app)
  })
  afterAll(() => app.stop())

  test('begins with the latest and shows each new one exactly once under eight writers', async () => {
    const before = [await file('before 1'), await file('before 2'), await file('before 3')]
    const tail = going(['tail', '-f', '-n', '2', '--json'], { env })
    await tail.says(/before 3/)

    const filed = (
      await Promise.all(
        Array.from({ length: WRITERS }, async (_, writer) => {
          const ids: string[] = []
          for (let i = 0; i < EACH; i++) ids.push(await file(`writer ${writer}, report ${i}`))
          return ids
        }),
      )
    ).flat()
    const last = await file('the last one')
    await tail.says(/the last one/)
    await until(() => tail.out.length >= filed.length + 3, 'all reports are shown')

    expect(await tail.signal('SIGINT')).toBe(130)
    const ids = printed(tail).map(entry => entry.id)
    expect(ids.toSorted()).toEqual([...before.slice(1), ...filed, last].toSorted())
    expect(tail.err).toEqual([])
  })

  test('shows one section only when asked to', async () => {
    const [first, second] = sections()
    await file('already in this section', second)
    const tail = going(['tail', '-f', '-n', '1', '--section', second!, '--json'], { env })
    await tail.says(/already in/)
    await file('in another section', first)
    await file('new in this section', second)
    await tail.says(/new in this section/)
    expect(await tail.signal('SIGTERM')).toBe(143)
    expect(printed(tail).map(entry => entry.verbatim)).toEqual([
      'already in this section',
      'new in this section',
    ])
  })

  test('goes on through a restart of the server', async () => {
    const tail = going(['tail', '-f', '-n', '1', '--json'], { env })
    await file('before the restart')
    await tail.says(/before the restart/)
    await app.halt()
    if (database === 'embedded') await tail.says(/out of reach/)
    await app.restart()
    file = await reporter(app)
    await file('after the restart')
    await tail.says(/after the restart/)
    await tail.signal('SIGINT')
    expect(tail.out.filter(line => line.includes('the restart'))).toHaveLength(2)
    const said = tail.err.filter(line => line.includes('out of reach') || line.includes('is back'))
    expect(said).toHaveLength(database === 'embedded' ? 2 : 0)
  })
})

test('tail -f waits for a server and never opens the embedded database itself', async () => {
  const place = home()
  const tail = going(['tail', '-f'], { cwd: place.path })
  await tail.says(/out of reach.*no server is running/)
  expect(existsSync(place.file('faultline-data'))).toBe(false)
  const server = going(['demo'], { cwd: place.path, env: { PORT: String(await freePort()) } })
  await server.says(/Sign in as/)
  await tail.says(/is back/)
  expect(tail.err.filter(line => line.includes('out of reach'))).toHaveLength(1)
  expect(await tail.signal('SIGINT')).toBe(130)
  expect(await server.signal('SIGTERM')).toBe(0)
  place.remove()
})

describe('on a PostgreSQL of its own', () => {
  test('one that commits late is shown late, once, and a restart of the database is survived', async () => {
    const cluster = await startCluster()
    const env = { DATABASE_URL: cluster.url('postgres') }
    expect((await faultline(['migrate'], { env })).status).toBe(0)
    const db = connect({ kind: 'postgres', url: env.DATABASE_URL })
    const { project: late } = await findOrCreateProject(db, 'Late')
    const file = (verbatim: string, sectionId = 'usb-port', to: Pick<Database, 'write'> = db) =>
      fileDefects(to, 1, { projectId: late.id, verbatim, sectionId })

    const tail = going(['tail', '-f', '-n', '5', '--json'], { env })
    await file('first')
    await tail.says(/first/)

    const begun = Promise.withResolvers<void>()
    const commit = Promise.withResolvers<void>()
    const committed = db.transaction(async queries => {
      // In another section, whose counts nobody else waits for.
      await file('committed late', 'cpu', { write: run => run(queries, 1) })
      begun.resolve()
      await commit.promise
    })
    await begun.promise
    await file('begun later, committed sooner')
    await tail.says(/committed sooner/)
    expect(tail.out.some(line => line.includes('committed late'))).toBe(false)
    commit.resolve()
    await committed
    await tail.says(/committed late/)

    await cluster.stop()
    await tail.says(/out of reach/)
    await cluster.start()
    await until(
      () =>
        file('after the restart').then(
          () => true,
          () => false,
        ),
      'the database takes reports again',
    )
    await tail.says(/after the restart/)
    await file('in a later round')
    await tail.says(/in a later round/)

    expect(await tail.signal('SIGINT')).toBe(130)
    expect(printed(tail).map(entry => entry.verbatim)).toEqual([
      'first',
      'begun later, committed sooner',
      'committed late',
      'after the restart',
      'in a later round',
    ])
    await db.close()
    await cluster.remove()
  }, 120_000)
})
