import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { FeedEntry } from '../../server/defects/entry.ts'
import { problemOf, project, report, type Send, wholeFeed } from '../support/api.ts'
import { ALICE, type TestApp, testApp } from '../support/app.ts'

let app: TestApp
let alice: Send
beforeAll(async () => {
  app = await testApp()
  alice = app.as(ALICE)
})
afterAll(() => app.stop())

describe('the feed', () => {
  test('is an array, newest first, 50 entries without a limit', async () => {
    const { id } = await project(app)
    for (let i = 0; i < 60; i++) await report(alice, id, `entry ${i}`, 'cpu')
    const response = await alice('/api/defects')
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toBe('no-store')
    const feed = (await response.json()) as FeedEntry[]
    expect(feed).toHaveLength(50)
    expect(feed.slice(0, 3).map(entry => entry.verbatim)).toEqual(['entry 59', 'entry 58', 'entry 57'])
    expect(response.headers.get('link')).toMatch(/^<\/api\/defects\?limit=50&before=[^>]+>; rel="next"$/)
  })

  test('a section narrows it, and its link repeats limit and section', async () => {
    const response = await alice('/api/defects?section=cpu&limit=7')
    const feed = (await response.json()) as FeedEntry[]
    expect(feed).toHaveLength(7)
    expect(new Set(feed.map(entry => entry.section_id))).toEqual(new Set(['cpu']))
    expect(response.headers.get('link')).toContain('/api/defects?limit=7&section=cpu&before=')
    expect(await wholeFeed(alice, '/api/defects?section=cpu&limit=7')).toHaveLength(60)
  })

  test('the last page has no link', async () => {
    expect((await alice('/api/defects?section=cpu&limit=60')).headers.get('link')).toBeNull()
    expect((await alice('/api/defects?section=ethernet')).headers.get('link')).toBeNull()
  })

  test.each([
    '0',
    '-1',
    '1.5',
    'NaN',
    'Infinity',
    '1e2',
    'abc',
    '',
    '%20',
    '10%00',
    '201',
    '0x10',
    '%2B5',
    '050',
    '9007199254740993',
  ])('limit=%s is refused', async limit => {
    const response = await alice(`/api/defects?limit=${limit}`)
    expect(response.status).toBe(422)
    expect((await problemOf(response)).errors?.[0]?.field).toBe('limit')
  })

  test.each(['limit=5&limit=6', 'limit[]=5', 'limit[0]=5', 'LIMIT=5', 'offset=3', '__proto__=1', '='])(
    '?%s is refused',
    async query => {
      expect((await alice(`/api/defects?${query}`)).status).toBe(422)
    },
  )

  test.each(['', 'x', 'mwpxo7y7_01a1fc', '99999999999_01a1fc7482147165beffc2689970528a', '%00', "' or 1=1"])(
    'before=%s is refused',
    async cursor => {
      expect((await alice(`/api/defects?before=${cursor}`)).status).toBe(422)
    },
  )

  test.each(['warp-drive', '', 'USB-PORT', '%00', 'constructor'])('section=%s is refused', async section => {
    expect((await alice(`/api/defects?section=${section}`)).status).toBe(422)
  })

  test('a body on GET is ignored', async () => {
    expect(
      (await alice('/api/defects?limit=1', { headers: { 'content-type': 'application/json' } })).status,
    ).toBe(200)
  })
})
