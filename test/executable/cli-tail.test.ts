import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import postgres from 'postgres'
import { ALICE, type TestApp, testApp } from '../support/app.ts'
import { faultline, type Going, going, home, sections } from '../support/cli.ts'
import { freePort, startCluster } from '../support/postgres.ts'
import { until } from '../support/until.ts'

const long = process.env.FAULTLINE_LONG === '1'
const WRITERS = 8
const EACH = long ? 500 : 60

const printed = (tail: Going) => tail.out.map(line => JSON.parse(line) as { id: string; verbatim: string })

async function reporter(app: TestApp) {
  const call = app.as(ALICE)
  const post = (path: string, body: object) =>
    call(path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    })
  const project = (await (await post('/api/projects', { name: 'Tailed' })).json()) as { id: string }
  return async (verbatim: string, section = sections()[0]!) => {
    const response = await post('/api/defects', { section_id: section, project_id: project.id, verbatim })
    expect(response.status).toBe(201)
    return ((await response.json()) as { id: string }).id
  }
}

describe.each(['embedded', 'postgres'] as const)('tail -f on %s', database => {
  let app: TestApp
  let env: Record<string, string>
  let report: Awaited<ReturnType<typeof reporter>>

  beforeAll(async () => {
    app = await testApp({ database })
    env = { ...app.env, LOG_LEVEL: 'warn' }
    report = await reporter(app)
  })
  afterAll(() => app.stop())

  test('begins with the latest and shows each new one exactly once under eight writers', async () => {
    const before = [await report('before 1'), await report('before 2'), await report('before 3')]
    const tail = going(['tail', '-f', '-n', '2', '--json'], { env })
    await tail.says(/before 3/)

    const filed = (
      await Promise.all(
        Array.from({ length: WRITERS }, async (_, writer) => {
          const ids: string[] = []
          for (let i = 0; i < EACH; i++) ids.push(await report(`writer ${writer}, report ${i}`))
          return ids
        }),
      )
    ).flat()
    const last = await report('the last one')
    await tail.says(/the last one/)
    await until(() => tail.out.length >= filed.length + 3, 'all reports are shown')

    expect(await tail.signal('SIGINT')).toBe(130)
    const ids = printed(tail).map(entry => entry.id)
    expect(ids.toSorted()).toEqual([...before.slice(1), ...filed, last].toSorted())
    expect(tail.err).toEqual([])
  })

  test('shows one section only when asked to', async () => {
    const [first, second] = sections()
    await report('already in this section', second)
    const tail = going(['tail', '-f', '-n', '1', '--section', second!, '--json'], { env })
    await tail.says(/already in/)
    await report('in another section', first)
    await report('new in this section', second)
    await tail.says(/new in this section/)
    expect(await tail.signal('SIGTERM')).toBe(143)
    expect(printed(tail).map(entry => entry.verbatim)).toEqual([
      'already in this section',
      'new in this section',
    ])
  })

  test('goes on through a restart of the server', async () => {
    const tail = going(['tail', '-f', '-n', '1', '--json'], { env })
    await report('before the restart')
    await tail.says(/before the restart/)
    await app.halt()
    if (database === 'embedded') await tail.says(/out of reach/)
    await app.restart()
    report = await reporter(app)
    await report('after the restart')
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
}, 60_000)

describe('on a PostgreSQL of its own', () => {
  test('one that commits late is shown late, once, and a restart of the database is survived', async () => {
    const cluster = await startCluster()
    const sql = postgres(cluster.url('postgres'), { onnotice: () => {} })
    const env = { DATABASE_URL: cluster.url('postgres') }
    expect((await faultline(['migrate'], { env })).status).toBe(0)
    const project = Bun.randomUUIDv7()
    await sql`insert into projects values (${project}, 'Late')`
    const insert = (to: postgres.Sql, verbatim: string) =>
      to`insert into defects (id, section_id, project_id, verbatim, reporter)
         values (${Bun.randomUUIDv7()}, ${sections()[0]!}, ${project}, ${verbatim}, 'alice@example.com')`

    const tail = going(['tail', '-f', '-n', '5', '--json'], { env })
    await insert(sql, 'first')
    await tail.says(/first/)

    const heldMs = long ? 40_000 : 18_000
    const begun = Promise.withResolvers<void>()
    const late = sql.begin(async tx => {
      await insert(tx as unknown as postgres.Sql, 'committed late')
      begun.resolve()
      await Bun.sleep(heldMs)
    })
    await begun.promise
    await insert(sql, 'begun later, committed sooner')
    await tail.says(/committed sooner/)
    expect(tail.out.some(line => line.includes('committed late'))).toBe(false)
    await late
    await tail.says(/committed late/)

    await cluster.stop()
    await tail.says(/out of reach/)
    await cluster.start()
    await until(
      () =>
        insert(sql, 'after the restart').then(
          () => true,
          () => false,
        ),
      'the database takes reports again',
    )
    await tail.says(/after the restart/)
    await insert(sql, 'in a later round')
    await tail.says(/in a later round/)

    expect(await tail.signal('SIGINT')).toBe(130)
    expect(printed(tail).map(entry => entry.verbatim)).toEqual([
      'first',
      'begun later, committed sooner',
      'committed late',
      'after the restart',
      'in a later round',
    ])
    await sql.end()
    await cluster.remove()
  }, 120_000)
})
