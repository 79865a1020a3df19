import '../page.ts'
import { beforeEach, expect, test } from 'bun:test'
import { askFor, counts, feed, onBoardVersion, projects } from '../../../web/src/lib/api.ts'
import { newPage, serve } from '../page.ts'

/** A server that has one state, and knows who has it already. */
let state: number
let versions: string[]
let asked: { path: string; known: string | null }[]
beforeEach(() => {
  newPage()
  for (const email of ['nobody@example.com', 'alice@example.com']) askFor(email)
  state = 1
  asked = []
  versions = []
  onBoardVersion(version => void versions.push(version))
  serve((path, { headers }) => {
    const etag = `"${path} ${state}"`
    const known = headers.get('if-none-match')
    asked.push({ path, known })
    const common = {
      etag,
      'x-board-version': `board ${state}`,
      link: `</api/defects?before=${state}>; rel="next"`,
    }
    if (known === etag) return { status: 304, headers: common, json: null }
    return { headers: common, json: path.includes('counts') ? { cpu: state } : [{ id: String(state) }] }
  })
})

const questions: [string, () => Promise<unknown>][] = [
  ['the counts', () => counts()],
  ['counts since a day', () => counts({ days: 7 })],
  ['the feed', () => feed()],
  ['the feed of a section', () => feed({ section: 'cpu' })],
  ['a later page', () => feed({}, 'before=9')],
  ['the projects', () => projects()],
]
test.each(questions)('%s: what has not changed is not sent again, and is the same object', async (_, ask) => {
  const first = await ask()
  expect(await ask()).toBe(first)
  state = 2
  const second = await ask()
  expect(second).not.toEqual(first)
  expect(await ask()).toBe(second)
  const tag = (n: number) => `"${asked[0]?.path} ${n}"`
  expect(asked.map(({ known }) => known)).toEqual([null, tag(1), tag(1), tag(2)])
})

test('each question has an answer of its own', async () => {
  for (const [, ask] of questions) await ask()
  expect(asked.map(({ known }) => known)).toEqual(questions.map(() => null))
  expect(await feed()).toEqual({ entries: [{ id: '1' }] as never, next: 'before=1' })
})

test('the board’s version is heard from an answer that says nothing else', async () => {
  await counts()
  await counts()
  expect(versions).toEqual(['board 1', 'board 1'])
})

test('what one person was answered is not kept for another', async () => {
  await counts()
  askFor('bob@example.com')
  await counts()
  expect(asked.map(({ known }) => known)).toEqual([null, null])
})
