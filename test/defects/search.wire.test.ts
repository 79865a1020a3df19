import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { FeedEntry } from '../../server/defects/entry.ts'
import { project, report, wholeFeed } from '../support/api.ts'
import { ALICE, type TestApp, testApp } from '../support/app.ts'
import { randomness } from '../support/random.ts'

const rounds = process.env.FAULTLINE_LONG ? 5_000 : 60
const sections = ['usb-port', 'cpu']

let app: TestApp
let alice: ReturnType<TestApp['as']>
let projects: string[]
beforeAll(async () => {
  app = await testApp()
  alice = app.as(ALICE)
  projects = [(await project(app, 'One')).id, (await project(app, 'Two')).id]
})
afterAll(() => app.stop())

const search = async (query: Record<string, string>) =>
  ((await wholeFeed(alice, `/api/defects?limit=3&${new URLSearchParams(query)}`)) as FeedEntry[]).map(
    ({ verbatim }) => verbatim,
  )

const fold = (text: string) => text.normalize('NFKC').toLowerCase()
const words = (text: string) =>
  fold(text)
    .split(/[\s\u0085]+/u)
    .filter(Boolean)
/** The contract in a line: each word asked for begins some word, also after a hyphen, dot or slash. */
const holds = (verbatim: string, q: string) =>
  words(q).every(asked =>
    words(verbatim).some(word =>
      [...word].some(
        (_, i) =>
          (i === 0 || /[-./]/.test([...word][i - 1]!)) && [...word].slice(i).join('').startsWith(asked),
      ),
    ),
  )

const pieces = [
  'pi-h',
  'R12',
  '0x1F',
  'ab.cd/ef',
  'Straße',
  'STRASSE',
  'İzmir',
  'ΣΑΣ',
  'ﬁx',
  '２３',
  'été',
  'ete',
  "it's",
  'a\\b',
  'x&y',
  '🔩',
  '日本語',
  'a:*',
  '(b)',
  '%',
  '--',
  'x-',
  'w'.repeat(60),
  `${'w'.repeat(59)}v`,
]

test('random words, sections and projects: search finds what a model finds', async () => {
  const seed = Number(process.env.FAULTLINE_SEED ?? Date.now() % 1_000_000)
  const random = randomness(seed)
  const some = <T>(list: T[]) => list[random(list.length)]!
  const model: FeedEntry[] = []
  try {
    for (let round = 0; round < rounds; round++) {
      const separator = some([' ', '\n', '\u00a0', '\u3000', '\u2028', '-', '.', '/'])
      const said = Array.from({ length: 1 + random(4) }, () => some(pieces)).join(separator)
      model.unshift((await report(alice, some(projects), said, some(sections))) as FeedEntry)
      const asked = Array.from({ length: 1 + random(2) }, () => {
        const word = [...some(words(some(model).verbatim))]
        const start = random(3) ? 0 : random(word.length)
        return word.slice(start, start + 1 + random(word.length)).join('')
      })
      const q = random(2) ? asked.join(' ') : asked.join(' ').toUpperCase().normalize('NFD')
      const [section, project] = [random(2) ? some(sections) : '', random(3) ? '' : some(projects)]
      const expected = model.filter(
        entry =>
          holds(entry.verbatim, q) &&
          (!section || entry.section_id === section) &&
          (!project || entry.project_id === project),
      )
      const found = await search({ q, ...(section && { section }), ...(project && { project }) })
      expect([q, ...found]).toEqual([q, ...expected.map(({ verbatim }) => verbatim)])
    }
  } catch (error) {
    throw new Error(`with FAULTLINE_SEED=${seed}`, { cause: error })
  }
})

test.each(['', ' ', '\u3000\u0085\n', 'x'.repeat(201), 'a\0', '\ud800'])(
  'what holds no word is refused: %j',
  async q => {
    const response = await alice(`/api/defects?q=${q === '\ud800' ? '%ED%A0%80' : encodeURIComponent(q)}`)
    expect(response.status).toBe(422)
    expect(((await response.json()) as { errors: { field: string }[] }).errors[0]?.field).toBe('q')
  },
)

test('words of 200 characters are found whole', async () => {
  const [one, other] = [`${'n'.repeat(199)}1`, `${'n'.repeat(199)}2`]
  for (const said of [one, other]) await report(alice, projects[0]!, said)
  expect(await search({ q: one })).toEqual([one])
})

test('a report made of thousands of separators is stored, and found by its beginning', async () => {
  const said = `q0${'…'.repeat(2_000)}${'℀'.repeat(2_000)}`
  await report(alice, projects[0]!, said)
  expect(await search({ q: 'q0...' })).toEqual([said])
})

test('counts are not narrowed by words', async () => {
  expect((await alice('/api/defects/counts?q=port')).status).toBe(422)
})

test.each(['nobody', '0190a6e0-1c2d-7e3f-8a4b-5c6d7e8f9a0b'])(
  'a project that does not exist narrows nothing: %s',
  async id => {
    const response = await alice(`/api/defects?project=${id}`)
    expect(response.status).toBe(422)
    expect(((await response.json()) as { errors: { field: string }[] }).errors[0]?.field).toBe('project')
  },
)
