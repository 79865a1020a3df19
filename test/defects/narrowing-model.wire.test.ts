import { expect, test } from 'bun:test'
import type { FeedEntry } from '../../server/defects/entry.ts'
import { project, type Send, wholeFeed } from '../support/api.ts'
import { ALICE, testApp } from '../support/app.ts'
import { fileDefects } from '../support/defects.ts'
import { randomness } from '../support/random.ts'

const [REPORTS, QUESTIONS] = process.env.FAULTLINE_LONG ? [3_000, 3_000] : [400, 60]
const DAY_MS = 86_400_000
const sections = ['usb-port', 'cpu', 'ethernet', 'left-the-board']
const words = [
  ...['loose', 'Loose', 'lost', 'LOO', 'a', 'usb', 'usb/c', 'pi-h', 'PI-H.2', 'R12', 'R120', '0x1F', '1F'],
  ...['ﬁne', 'FINE', 'straße', 'STRASSE', 'İstanbul', 'éclair', 'e\u0301clair', 'eclair', '電源', '電', '😀'],
  ...[
    '"quoted"',
    'back\\slash',
    "o'clock",
    '100%',
    'a_b',
    ':*',
    '&',
    '!',
    '<->',
    '(',
    '--',
    '.',
    'x-y-z/w.v',
  ],
]
const spaces = [' ', '  ', '\n', '\t', '\u00a0', '\u2003', '\u2028']

interface Asked {
  section?: string
  project?: string
  since?: string
  q?: string
}

/** What the contract says, written once more. */
function matches(entry: FeedEntry, { section, project, since, q }: Asked): boolean {
  const first = Math.floor(Date.now() / DAY_MS) - Number.parseInt(since ?? '9999d', 10) + 1
  return (
    (section ?? entry.section_id) === entry.section_id &&
    (project ?? entry.project_id) === entry.project_id &&
    Date.parse(entry.created_at) >= first * DAY_MS &&
    foldedWords(q ?? '').every(asked => beginnings(entry.verbatim).some(word => word.startsWith(asked)))
  )
}

const foldedWords = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .split(/[\s\u0085\ufeff]+/)
    .filter(Boolean)

/** Each word, and what follows a hyphen, dot or slash inside it. */
const beginnings = (text: string) =>
  foldedWords(text).flatMap(word => [
    word,
    ...[...word.matchAll(/[-./]/g)].map(({ index }) => word.slice(index + 1)),
  ])

test('random sections, projects, words, spans and cursors: feed, export and counts are what a model says', async () => {
  const seed = Number(process.env.FAULTLINE_SEED ?? Date.now() % 1_000_000)
  const random = randomness(seed)
  const one = <T>(of: readonly T[]): T => of[random(of.length)]!
  const app = await testApp()
  const alice = app.as(ALICE)
  try {
    const projects = [(await project(app, 'One')).id, (await project(app, 'Two')).id]
    await fileDefects(app.db, REPORTS, () => ({
      projectId: one(projects),
      sectionId: one(sections),
      verbatim:
        Array.from({ length: 1 + random(4) }, () => one(words) + one(spaces))
          .join('')
          .trim() || 'a',
      createdAt: new Date(Date.now() - random(40) * DAY_MS - random(1_000)),
    }))
    const all = await wholeFeed(alice, '/api/defects?limit=200')
    expect(all).toHaveLength(REPORTS)

    const beginning = (word: string) => [...word].slice(0, 1 + random(word.length)).join('')
    const cased = (text: string) => one([text, text.toUpperCase(), text.toLowerCase()])
    for (let n = 0; n < QUESTIONS; n++) {
      const typed = () => cased(beginning(one(words)))
      const asked: Asked = {
        ...(random(2) && { section: one(sections) }),
        ...(random(2) && { project: one(projects) }),
        ...(random(2) && { since: `${1 + random(41)}d` }),
        ...(random(3) && { q: Array.from({ length: 1 + random(2) }, typed).join(one(spaces)) }),
      }
      const expected = all.filter(entry => matches(entry, asked))
      await compare(alice, asked, expected, 1 + random(40))
    }
  } catch (error) {
    throw new Error(`with FAULTLINE_SEED=${seed}`, { cause: error })
  } finally {
    await app.stop()
  }
})

async function compare(send: Send, asked: Asked, expected: FeedEntry[], limit: number) {
  const queryWith = (more: Record<string, string>) => new URLSearchParams({ ...asked, ...more })
  const ids = (entries: FeedEntry[]) => entries.map(({ id }) => id)
  expect({
    asked,
    ids: ids(await wholeFeed(send, `/api/defects?${queryWith({ limit: String(limit) })}`)),
  }).toEqual({
    asked,
    ids: ids(expected),
  })
  const exported = await (await send(`/api/defects/export?${queryWith({ format: 'ndjson' })}`)).text()
  expect(exported).toBe(expected.map(entry => `${JSON.stringify(entry)}\n`).join(''))
  if (asked.q !== undefined || asked.section !== undefined) return
  const numbers = async (path: string) => (await (await send(path)).json()) as Numbers
  const told = Object.entries(await numbers(`/api/defects/counts?${queryWith({})}`)).filter(
    ([, count]) => count,
  )
  expect(Object.fromEntries(told)).toEqual(tally(expected, 'section_id'))
  if (asked.project !== undefined) return
  expect(await numbers(`/api/defects/counts?${queryWith({ by: 'project' })}`)).toEqual(
    tally(expected, 'project_id'),
  )
}

type Numbers = Record<string, number>

function tally(entries: FeedEntry[], field: 'section_id' | 'project_id'): Numbers {
  const counts: Numbers = {}
  for (const entry of entries) counts[entry[field]] = (counts[entry[field]] ?? 0) + 1
  return counts
}
