import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { FeedEntry } from '../../server/defects/entry.ts'
import { project, report, wholeFeed } from '../support/api.ts'
import { ALICE, type TestApp, testApp } from '../support/app.ts'
import { fileDefects } from '../support/defects.ts'

const words = ['=1+1', '+1', '-x', '@SUM(A1)', '\u0007next', 'a, "b"\r\nc', "it's = fine", 'Ж 🔩']

let app: TestApp
let alice: ReturnType<TestApp['as']>
let feed: FeedEntry[]
let projects: string[]
beforeAll(async () => {
  app = await testApp()
  alice = app.as(ALICE)
  projects = [(await project(app, 'One')).id, (await project(app, '=Two')).id]
  await fileDefects(app.db, 230, i => ({
    projectId: projects[0]!,
    createdAt: new Date(Date.now() - (i + 1) * 60_000),
  }))
  for (const said of words) await report(alice, projects[1]!, said, 'cpu')
  feed = await wholeFeed(alice, '/api/defects?limit=200')
})
afterAll(() => app.stop())

const lines = async (query: string) =>
  (await (await alice(`/api/defects/export?format=ndjson${query}`)).text())
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line) as FeedEntry)

test('NDJSON is the feed, one entry a line, unchanged', async () => {
  const response = await alice('/api/defects/export?format=ndjson')
  expect([
    response.status,
    response.headers.get('content-type'),
    response.headers.get('content-disposition'),
  ]).toEqual([200, 'application/x-ndjson; charset=utf-8', 'attachment; filename="defects.ndjson"'])
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(await lines('')).toEqual(feed)
})

test('CSV has a byte order mark, a header of the wire names, and no formula', async () => {
  const response = await alice(`/api/defects/export?format=csv&section=cpu`)
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  const bytes = new Uint8Array(await response.arrayBuffer())
  expect([...bytes.slice(0, 3)]).toEqual([0xef, 0xbb, 0xbf])
  const text = new TextDecoder().decode(bytes)
  expect(text.split('\r\n', 1)).toEqual([Object.keys(feed[0]!).join(',')])
  expect(text).toContain(",'=Two,'=1+1,alice@example.com,")
  for (const said of ["'+1", "'-x", "'@SUM(A1)", "'\u0007next", '"a, ""b""\r\nc"', "it's = fine", 'Ж 🔩'])
    expect(text).toContain(`,${said},`)
})

test.each(['section=cpu', 'q=sum', 'since=1d'])('it is narrowed as the feed is: %s', async query => {
  expect(await lines(`&${query}`)).toEqual(await wholeFeed(alice, `/api/defects?limit=200&${query}`))
})

test('it is narrowed by project', async () => {
  expect((await lines(`&project=${projects[1]}`)).map(({ verbatim }) => verbatim)).toEqual(words.toReversed())
})

test.each([
  ['', 'format'],
  ['?format=xls', 'format'],
  ['?format=csv&section=none', 'section'],
  ['?format=csv&limit=2', 'limit'],
])('what it cannot give is refused: %s', async (query, field) => {
  const response = await alice(`/api/defects/export${query}`)
  expect(response.status).toBe(422)
  expect(((await response.json()) as { errors: { field: string }[] }).errors[0]?.field).toBe(field)
})

test('HEAD tells of it and takes no place', async () => {
  for (let i = 0; i < 5; i++) {
    const response = await alice('/api/defects/export?format=csv', { method: 'HEAD' })
    expect([response.status, await response.text()]).toEqual([200, ''])
  }
  expect(await lines('')).toHaveLength(feed.length)
})
