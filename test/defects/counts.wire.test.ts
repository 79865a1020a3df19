import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import { loadBoard } from '../../server/board/board.ts'
import { sectionCounts } from '../../server/defects/counts.ts'
import { rebuildCounts } from '../../server/defects/recount.ts'
import type { Project } from '../../server/projects/model.ts'
import { problemOf, project, report } from '../support/api.ts'
import { ALICE, type TestApp, testApp } from '../support/app.ts'
import { fileDefects } from '../support/defects.ts'

let app: TestApp
let alice: ReturnType<TestApp['as']>
let hinge: Project
beforeAll(async () => {
  app = await testApp()
  alice = app.as(ALICE)
  hinge = await project(app)
})
afterAll(() => app.stop())

const counts = async (query = '') =>
  (await (await alice(`/api/defects/counts${query}`)).json()) as Record<string, number>

const insertOn = (sectionId: string, daysAgo: number) =>
  fileDefects(app.db, 1, {
    projectId: hinge.id,
    sectionId,
    createdAt: sql`((now() at time zone 'UTC')::date - ${daysAgo}::int)::timestamp at time zone 'UTC'`,
  })

test('every section of the board is there, zero included', async () => {
  const all = await counts()
  expect(Object.keys(all)).toEqual([...loadBoard().sections.keys()])
  expect(new Set(Object.values(all))).toEqual(new Set([0]))
})

test('a filed defect is counted at once', async () => {
  await report(alice, hinge.id)
  expect((await counts())['usb-port']).toBe(1)
  expect((await counts('?since=1d'))['usb-port']).toBe(1)
})

test('since takes today and the days before, by UTC day', async () => {
  await insertOn('ethernet', 0)
  await insertOn('ethernet', 6)
  await insertOn('ethernet', 7)
  expect((await counts('?since=1d')).ethernet).toBe(1)
  expect((await counts('?since=7d')).ethernet).toBe(2)
  expect((await counts('?since=8d')).ethernet).toBe(3)
  expect((await counts()).ethernet).toBe(3)
})

test('an address that ends in a question mark has no query', async () => {
  for (const query of ['?', '?&', '?since=7d&'])
    expect((await alice(`/api/defects/counts${query}`)).status).toBe(200)
})

test.each(['0d', '367d', '7', 'd', '-1d', '1e1d', '07d', '7D', '', '7d '])(
  'since=%s is refused',
  async since => {
    expect((await alice(`/api/defects/counts?since=${encodeURIComponent(since)}`)).status).toBe(422)
  },
)

test('a section that left the board keeps its defects, its history and its count', async () => {
  await insertOn('left-the-board', 1)
  expect((await counts())['left-the-board']).toBe(1)
  const history = await alice('/api/defects?section=left-the-board')
  expect(history.status).toBe(200)
  expect(await history.json()).toHaveLength(1)
})

test('kept counts equal counts made anew from the defects, after many at once', async () => {
  const many = process.env.FAULTLINE_LONG ? 10_000 : 400
  const sections = ['usb-port', 'cpu', 'ethernet']
  const jobs = Array.from({ length: many }, (_, i) => i)
  const worker = async () => {
    for (let i = jobs.pop(); i !== undefined; i = jobs.pop())
      await report(alice, hinge.id, `n ${i}`, sections[i % 3])
  }
  await Promise.all(Array.from({ length: 32 }, worker))

  const board = loadBoard()
  const kept = {
    total: await sectionCounts(app.db, board),
    week: await sectionCounts(app.db, board, { since: '7d' }),
  }
  expect(await rebuildCounts(app.db)).toEqual([])
  expect({
    total: await sectionCounts(app.db, board),
    week: await sectionCounts(app.db, board, { since: '7d' }),
  }).toEqual(kept)
  expect(await counts()).toEqual(kept.total)
})

test('counting anew tells what differed, and mends it', async () => {
  const kept = await counts()
  const stranger = crypto.randomUUID()
  const [gone] = await app.db.write(async queries => {
    await queries.execute(sql`insert into section_totals values ('cpu', -1, 5)`)
    await queries.execute(sql`update project_days set count = count + 2
      where section_id = 'left-the-board' and project_id = ${hinge.id}`)
    await queries.execute(sql`insert into project_totals values (${stranger}, 'cpu', 0, 1)`)
    await queries.execute(sql`insert into section_days values ('2026-01-01', 'never-was', 3, 7)`)
    return queries.execute(
      sql`delete from section_days where section_id = 'left-the-board' returning day::text`,
    )
  })
  const inAll = kept.cpu ?? 0
  const day = gone!.day as string
  expect(await rebuildCounts(app.db)).toEqual([
    { section_id: 'cpu', project_id: null, day: null, kept: inAll + 5, counted: inAll },
    { section_id: 'left-the-board', project_id: null, day, kept: 0, counted: 1 },
    { section_id: 'never-was', project_id: null, day: '2026-01-01', kept: 7, counted: 0 },
    { section_id: 'cpu', project_id: stranger, day: null, kept: 1, counted: 0 },
    { section_id: 'left-the-board', project_id: hinge.id, day, kept: 3, counted: 1 },
  ])
  expect(await rebuildCounts(app.db)).toEqual([])
  expect(await counts()).toEqual(kept)
})

describe('by project', () => {
  let other: Project
  beforeAll(async () => {
    other = await project(app, 'Other board')
    await report(alice, other.id, 'Loose', 'ethernet')
    await fileDefects(app.db, 2, {
      projectId: other.id,
      sectionId: 'gone-too',
      createdAt: sql`now() - interval '20 days'`,
    })
  })

  test('the counts of one project alone, zero included, with what left the board', async () => {
    const all = await counts(`?project=${other.id}`)
    expect(Object.keys(all)).toEqual([...loadBoard().sections.keys(), 'gone-too'])
    expect([all.ethernet, all['usb-port'], all['gone-too']]).toEqual([1, 0, 2])
    expect((await counts(`?project=${other.id}&since=7d`))['gone-too']).toBeUndefined()
    expect((await counts(`?project=${other.id.toUpperCase()}&since=30d`))['gone-too']).toBe(2)
  })

  test('by=project answers each project that has defects, of a section or a span', async () => {
    const sum = (all: Record<string, number>) => Object.values(all).reduce((sum, count) => sum + count, 0)
    const all = await counts('?by=project')
    expect(all[other.id]).toBe(3)
    expect(sum(all)).toBe(sum(await counts()))
    expect((await counts('?by=project&since=7d'))[other.id]).toBe(1)
    expect(await counts('?by=project&section=gone-too')).toEqual({ [other.id]: 2 })
    expect(await counts('?by=project&section=gone-too&since=7d')).toEqual({})
  })

  test.each([
    ['?section=cpu', 'section'],
    ['?by=project&project=', 'project'],
    ['?by=section', 'by'],
    ['?q=loose', 'q'],
    ['?project=0190a6e0-1c2d-7e3f-8a4b-5c6d7e8f9a0b', 'project'],
    ['?by=project&section=never-was', 'section'],
    ['?project=hinge', 'project'],
  ])('%s is refused', async (query, field) => {
    const response = await alice(
      `/api/defects/counts${query === '?by=project&project=' ? query + other.id : query}`,
    )
    expect(response.status).toBe(422)
    expect((await problemOf(response)).errors?.map(error => error.field)).toEqual([field])
  })
})
