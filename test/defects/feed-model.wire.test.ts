import { expect, test } from 'bun:test'
import type { FeedEntry } from '../../server/defects/entry.ts'
import { project, report, wholeFeed } from '../support/api.ts'
import { ALICE, BOB, type TestApp, testApp, testDatabase } from '../support/app.ts'
import { randomness } from '../support/random.ts'

const rounds = process.env.FAULTLINE_LONG ? 10_000 : 60
const sections = ['usb-port', 'cpu', 'ethernet', 'power-jack']

const newestFirst = (a: FeedEntry, b: FeedEntry) =>
  b.created_at.localeCompare(a.created_at) || b.id.localeCompare(a.id)

test('random reports, sections, limits and cursors: the feed is what a model says', async () => {
  const seed = Number(process.env.FAULTLINE_SEED ?? Date.now() % 1_000_000)
  const random = randomness(seed)
  const app = await testApp()
  const people = [ALICE, BOB, 'carol@example.com'].map(email => ({ email, send: app.as(email) }))
  const projects = [await project(app, 'One'), await project(app, 'Two')]
  const model: FeedEntry[] = []
  try {
    for (let round = 0; round < rounds; round++) {
      const who = people[random(people.length)]!
      const where = sections[random(sections.length)]!
      const burst = await Promise.all(
        Array.from({ length: 1 + random(4) }, (_, i) =>
          report(who.send, projects[random(2)]!.id, `round ${round} ${i} ${'x'.repeat(random(50))}`, where),
        ),
      )
      // Later bursts are newer: only the order within one is open.
      model.unshift(...burst.sort(newestFirst))
      const section = random(2) ? sections[random(sections.length)] : undefined
      const limit = 1 + random(12)
      const expected = section ? model.filter(entry => entry.section_id === section) : model
      const path = `/api/defects?limit=${limit}${section ? `&section=${section}` : ''}`
      const first = (await (await who.send(path)).json()) as FeedEntry[]
      expect(first).toEqual(expected.slice(0, limit))
      if (round % Math.ceil(rounds / 8) === 0) expect(await wholeFeed(who.send, path)).toEqual(expected)
    }
  } catch (error) {
    throw new Error(`with FAULTLINE_SEED=${seed}`, { cause: error })
  } finally {
    await app.stop()
  }
})

test('following next to the end visits what was committed before exactly once, whatever is filed meanwhile', async () => {
  const app = await testApp()
  const alice = app.as(ALICE)
  const { id } = await project(app)
  await Promise.all(Array.from({ length: 120 }, (_, i) => report(alice, id, `before ${i}`)))
  let filing = true
  const filer = (async () => {
    for (let i = 0; filing; i++) await report(app.as(BOB), id, `meanwhile ${i}`)
  })()
  const seen = (await wholeFeed(alice, '/api/defects?limit=7')).filter(entry =>
    entry.verbatim.startsWith('before'),
  )
  filing = false
  await filer
  expect(seen).toHaveLength(120)
  expect(new Set(seen.map(entry => entry.id)).size).toBe(120)
  await app.stop()
})

test('an answer is as fresh as its request: nobody misses an own write, on two instances at once', async () => {
  const app = await testApp()
  const beside = testDatabase === 'postgres' ? await testApp({ beside: app }) : app
  const { id } = await project(app)
  const times = process.env.FAULTLINE_LONG ? 500 : 40
  const missed: string[] = []
  const person = async (email: string, writer: TestApp, reader: TestApp) => {
    const [write, read] = [writer.as(email), reader.as(email)]
    for (let i = 0; i < times; i++) {
      const entry = await report(write, id, `${email} ${i}`)
      const feed = (await (await read('/api/defects?limit=200')).json()) as FeedEntry[]
      const counts = (await (await read('/api/defects/counts')).json()) as Record<string, number>
      if (!feed.some(({ id }) => id === entry.id)) missed.push(entry.verbatim)
      if (counts['usb-port']! < i + 1) missed.push(`count ${entry.verbatim}`)
    }
  }
  await Promise.all(
    Array.from({ length: 8 }, (_, i) =>
      person(`p${i}@example.com`, i % 2 ? app : beside, i % 3 ? beside : app),
    ),
  )
  expect(missed).toEqual([])
  if (beside !== app) await beside.stop()
  await app.stop()
})
