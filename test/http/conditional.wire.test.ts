import { afterAll, beforeAll, expect, test } from 'bun:test'
import { project, report, wholeFeed } from '../support/api.ts'
import { ALICE, BOB, type TestApp, testApp } from '../support/app.ts'
import { fileDefects } from '../support/defects.ts'

let app: TestApp
let alice: ReturnType<TestApp['as']>
let projectId: string
beforeAll(async () => {
  app = await testApp()
  alice = app.as(ALICE)
  projectId = (await project(app)).id
  for (const text of ['one', 'two', 'three']) await report(alice, projectId, text)
})
afterAll(() => app.stop())

const paths = [
  '/api/defects',
  '/api/defects?limit=2',
  '/api/defects/counts',
  '/api/projects',
  '/api/projects?q=hinge',
]
const asked = (path: string, etag: string, init: RequestInit = {}) =>
  alice(path, { ...init, headers: { 'if-none-match': etag } })
const told = (response: Response) =>
  ['etag', 'link', 'x-board-version', 'cache-control'].map(name => [name, response.headers.get(name)])

test.each(paths)('who has %s already is told so, with everything but the body', async path => {
  const whole = await alice(path)
  expect(whole.status).toBe(200)
  expect(whole.headers.get('x-board-version')).toMatch(/^\w+$/)
  const etag = whole.headers.get('etag')!
  expect(etag).toMatch(/^"\w+"$/)
  for (const known of [etag, `W/${etag}`, `"other", ${etag}`, `"other",W/${etag} , "more"`, '*', ' * ']) {
    for (const method of ['GET', 'HEAD']) {
      const same = await asked(path, known, { method })
      expect([known, method, same.status]).toEqual([known, method, 304])
      expect(told(same)).toEqual(told(whole))
      expect(same.headers.get('content-type')).toBeNull()
      expect(await same.text()).toBe('')
    }
  }
  for (const other of ['"other"', 'W/"other"', etag.slice(1, -1), '', '"*"']) {
    const response = await asked(path, other)
    expect([other, response.status]).toEqual([other, 200])
    expect(await response.json()).toEqual(await (await alice(path)).json())
  }
})

test('an ETag stands for what is answered: other words, another next page, another order of things', async () => {
  const tags = async () => Promise.all(paths.map(async path => (await alice(path)).headers.get('etag')))
  const before = await tags()
  expect(new Set(before).size).toBe(paths.length - 1)
  await report(alice, projectId, 'four')
  const after = await tags()
  expect(after.map((etag, i) => etag === before[i])).toEqual([false, false, false, true, true])
  expect((await asked('/api/defects', before[0]!)).status).toBe(200)
  await project(app, 'Hinge, again')
  expect((await asked('/api/projects', after[3]!)).status).toBe(200)
})

test('a link to more is part of what the ETag stands for', async () => {
  const { length } = await wholeFeed(alice, '/api/defects')
  const page = () => alice(`/api/defects?limit=${length}`)
  const alone = await page()
  await fileDefects(app.db, 1, { projectId, createdAt: new Date('2020-01-01') })
  const linked = await page()
  expect(alone.headers.get('link')).toBeNull()
  expect(linked.headers.get('link')).toContain('rel="next"')
  expect(await linked.text()).toBe(await alone.text())
  expect(linked.headers.get('etag')).not.toBe(alone.headers.get('etag'))
})

test('nobody without a session is told anything, and a refused query stays refused', async () => {
  const headers = { 'if-none-match': '*' }
  for (const path of paths) expect((await app.anonymous(path, { headers })).status).toBe(401)
  expect((await asked('/api/defects?limit=0', '*')).status).toBe(422)
  expect((await asked('/api/defects?nonsense=1', '*')).status).toBe(422)
  const others = await app.as(BOB)('/api/defects', { headers })
  expect(others.status).toBe(304)
})
