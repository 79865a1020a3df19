import '../page.ts'
import { beforeEach, expect, test } from 'bun:test'
import { Feed } from '../../../web/src/feed/feed.svelte.ts'
import type { Entry } from '../../../web/src/lib/api.ts'
import { newPage, serve } from '../page.ts'

const entry = (n: number): Entry => ({
  id: `id${String(n).padStart(3, '0')}`,
  section_id: 'usb-port',
  project_id: 'p',
  project_name: 'Hinge rework',
  verbatim: `report ${n}`,
  reporter: 'alice@example.com',
  created_at: new Date(Date.UTC(2026, 11, 1, 0, 0, n)).toISOString(),
})
const numbers = (entries: Entry[]) => entries.map(({ verbatim }) => Number(verbatim.slice('report '.length)))

let filed: Entry[]
let reachable: boolean
beforeEach(() => {
  newPage()
  filed = [1, 2, 3].map(entry)
  reachable = true
  serve(path => {
    if (!reachable) return undefined
    const query = new URLSearchParams(path.split('?')[1])
    if (query.get('section') === 'nowhere') return { status: 422, json: { code: 'invalid_query' } }
    const from = Number(query.get('before') ?? 0)
    const page = filed.toReversed().slice(from, from + 30)
    const next: Record<string, string> =
      filed.length > from + 30 ? { link: `</api/defects?limit=30&before=${from + 30}>; rel="next"` } : {}
    return { json: page, headers: next }
  })
})

async function loaded(): Promise<Feed> {
  const feed = new Feed()
  await feed.load()
  return feed
}

test('what is filed meanwhile waits until it is asked for', async () => {
  const feed = await loaded()
  filed.push(entry(4), entry(5))
  await feed.refresh()
  expect([numbers(feed.entries), numbers(feed.fresh)]).toEqual([
    [3, 2, 1],
    [5, 4],
  ])
  feed.show()
  expect([numbers(feed.entries), feed.fresh]).toEqual([[5, 4, 3, 2, 1], []])
})

test('one’s own report stands at its place at once, and only once', async () => {
  const feed = await loaded()
  filed.push(entry(4), entry(5))
  await feed.refresh()
  feed.add(entry(5))
  expect([numbers(feed.entries), numbers(feed.fresh)]).toEqual([[5, 3, 2, 1], [4]])
  feed.show()
  expect(numbers(feed.entries)).toEqual([5, 4, 3, 2, 1])
})

test('more than a page of news begins the feed anew, without a gap', async () => {
  const feed = await loaded()
  for (let n = 4; n <= 40; n++) filed.push(entry(n))
  await feed.refresh()
  feed.show()
  expect(numbers(feed.entries)).toEqual(Array.from({ length: 30 }, (_, n) => 40 - n))
  await feed.more()
  expect(feed.entries).toHaveLength(40)
  expect(feed.hasMore).toBe(false)
})

test('what could not be loaded says so, and is loaded by the next refresh', async () => {
  reachable = false
  const feed = await loaded()
  expect(feed.status).toBe('failed')
  reachable = true
  await feed.refresh()
  expect(feed.status).toBe('ready')
})

test('older reports that could not be loaded can be asked for again', async () => {
  for (let n = 4; n <= 40; n++) filed.push(entry(n))
  const feed = await loaded()
  reachable = false
  await feed.more()
  expect([feed.moreFailed, feed.loadingMore, feed.entries.length]).toEqual([true, false, 30])
  reachable = true
  await feed.more()
  expect([feed.moreFailed, feed.entries.length]).toEqual([false, 40])
})

test('a section that is none is not asked for again', async () => {
  const feed = new Feed({ section: 'nowhere' })
  await feed.load()
  expect(feed.status).toBe('unknown')
  reachable = false
  await feed.refresh()
})

test('a feed tells whether anything was new', async () => {
  const tagged = (etag: string) =>
    serve((_, { headers }) =>
      headers.get('if-none-match') === etag
        ? { status: 304, headers: { etag }, json: null }
        : { headers: { etag }, json: filed.toReversed() },
    )
  tagged('"one"')
  const feed = await loaded()
  expect(await feed.refresh()).toBe(false)
  filed.push(entry(4))
  tagged('"two"')
  expect(await feed.refresh()).toBe(true)
  expect(await feed.refresh()).toBe(false)
  expect(numbers(feed.fresh)).toEqual([4])
})
