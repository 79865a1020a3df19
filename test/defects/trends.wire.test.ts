import { afterAll, beforeAll, expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import { loadBoard } from '../../server/board/board.ts'
import type { Trends } from '../../server/defects/model.ts'
import { project, report } from '../support/api.ts'
import { ALICE, type TestApp, testApp } from '../support/app.ts'
import { fileDefects } from '../support/defects.ts'

let app: TestApp
let alice: ReturnType<TestApp['as']>
beforeAll(async () => {
  app = await testApp()
  alice = app.as(ALICE)
  const { id } = await project(app)
  await report(alice, id, 'Loose', 'ethernet')
  for (const [sectionId, daysAgo, many] of [
    ['ethernet', 0, 2],
    ['ethernet', 6, 3],
    ['ethernet', 7, 5],
    ['ethernet', 365, 1],
    ['left-the-board', 1, 4],
  ] as const) {
    const createdAt = sql`((now() at time zone 'UTC')::date - ${daysAgo}::int)::timestamp at time zone 'UTC'`
    await fileDefects(app.db, many, { projectId: id, sectionId, createdAt })
  }
})
afterAll(() => app.stop())

const trends = async (query = '') => (await (await alice(`/api/defects/trends${query}`)).json()) as Trends

test('each day has its number, oldest first, on sections without any too', async () => {
  const { from, days, sections } = await trends('?days=7d')
  const [today] = await app.db.read(queries =>
    queries.execute<{ day: string }>(sql`select ((now() at time zone 'UTC')::date - 6)::text as day`),
  )
  expect([from, days]).toEqual([today!.day, 7])
  expect(sections.ethernet).toEqual([3, 0, 0, 0, 0, 0, 3])
  expect(sections['left-the-board']).toEqual([0, 0, 0, 0, 0, 4, 0])
  expect(sections.memory).toEqual([0, 0, 0, 0, 0, 0, 0])
  expect(Object.keys(sections)).toEqual(expect.arrayContaining([...loadBoard().sections.keys()]))
})

test('the span before lies as many days back', async () => {
  expect((await trends('?days=7d&back=7')).sections.ethernet).toEqual([0, 0, 0, 0, 0, 0, 5])
  expect((await trends('?days=1d&back=365')).sections.ethernet).toEqual([1])
})

test('without a span it is thirty days, and a year is the most', async () => {
  expect((await trends()).sections.ethernet).toHaveLength(30)
  const year = (await trends('?days=366d')).sections.ethernet
  expect(year?.reduce((sum, count) => sum + count, 0)).toBe(12)
})

test('one project alone', async () => {
  const other = await project(app, 'Other board')
  await report(alice, other.id, 'Loose', 'cpu')
  const { sections } = await trends(`?days=7d&project=${other.id}`)
  expect([sections.cpu, sections.ethernet]).toEqual([
    [0, 0, 0, 0, 0, 0, 1],
    [0, 0, 0, 0, 0, 0, 0],
  ])
  expect(sections['left-the-board']).toBeUndefined()
})

test.each([
  'days=0d',
  'days=367d',
  'days=7',
  'back=-1',
  'back=367',
  'back=07',
  'back=1e2',
  'section=ethernet',
  'project=0190a6e0-1c2d-7e3f-8a4b-5c6d7e8f9a0b',
])('%s is refused', async query => {
  expect((await alice(`/api/defects/trends?${query}`)).status).toBe(422)
})

test('what has not changed is not sent again, and what is filed shows at once', async () => {
  const first = await alice('/api/defects/trends')
  const headers = { 'if-none-match': first.headers.get('etag')! }
  expect((await alice('/api/defects/trends', { headers })).status).toBe(304)
  await report(alice, (await project(app)).id, 'Loose', 'ethernet')
  expect((await alice('/api/defects/trends', { headers })).status).toBe(200)
})
