import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { assets } from '../../server/assets.ts'
import { loadBoard } from '../../server/board/board.ts'
import {
  type Beginning,
  EditedBoard,
  type Judged,
  type Marking,
  type Saved,
} from '../../server/editor/edited-board.ts'
import { type Editor, startEditor } from '../../server/editor/editor.ts'
import { readBundle, readFiles } from '../../server/http/files.ts'
import { drawing } from '../support/board.ts'
import { home } from '../support/cli.ts'
import { photograph } from '../support/picture.ts'
import { rawGet } from '../support/raw.ts'

const place = home()
const file = place.file('plan.svg')
const PLAN = drawing('<rect width="30" height="20" fill="#ccc"/><g id="tank"><circle r="9"/></g>')
const sections: Marking = [
  { id: 'tank', label: 'Tank', parts: [{ path: '1' }] },
  { id: 'pit', label: 'Pit', parts: [{ rect: [10, 10, 5, 5] }] },
]
let editor: Editor
let origin: string
let cookie: string
const saved: Saved[] = []

/** The files of the page are a matter of its own test. */
function fakePage(): string {
  const folder = place.file('page')
  mkdirSync(`${folder}/assets`, { recursive: true })
  writeFileSync(`${folder}/editor.html`, '<!doctype html><title>Editor</title>')
  writeFileSync(`${folder}/assets/editor-1.js`, 'export {}')
  return folder
}

function start(name: string, out?: string): Editor {
  return startEditor(new EditedBoard(place.file(name), out), fakePage(), one => saved.push(one))
}

const begunIn = async (response: Response) => (await response.json()) as Beginning
const judgedIn = async (response: Response) => (await response.json()) as Judged

async function enter({ url }: Editor): Promise<string> {
  const response = await fetch(url, { redirect: 'manual' })
  return response.headers.get('set-cookie')?.split(';')[0] ?? ''
}

beforeAll(async () => {
  writeFileSync(file, PLAN)
  editor = start('plan.svg')
  origin = new URL(editor.url).origin
})
afterAll(async () => {
  await editor.stop()
  place.remove()
})

const ask = (path: string, init: RequestInit = {}) =>
  fetch(origin + path, { redirect: 'manual', ...init, headers: { cookie, origin, ...init.headers } })
const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  ask(path, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  })

test('the address lets one browser in, once, and nobody without it', async () => {
  expect(new URL(editor.url).hostname).toBe('127.0.0.1')
  for (const path of [
    '/',
    '/drawing',
    '/assets/editor-1.js',
    '/none',
    '/?token=',
    '/?token=wrong',
    `/drawing${new URL(editor.url).search}`,
  ])
    expect([path, (await fetch(origin + path, { redirect: 'manual' })).status]).toEqual([path, 403])
  const head = await fetch(editor.url, { method: 'HEAD', headers: { origin } })
  expect(head.status).toBe(403)
  const response = await fetch(editor.url, { redirect: 'manual' })
  expect([response.status, response.headers.get('location')]).toEqual([303, '/'])
  expect(response.headers.get('set-cookie')).toMatch(
    /^faultline-editor-\d+=[\w-]{43}; HttpOnly; SameSite=Lax; Path=\/$/,
  )
  cookie = response.headers.get('set-cookie')!.split(';')[0]!
  expect((await fetch(editor.url, { redirect: 'manual' })).status).toBe(403)
  expect((await ask(new URL(editor.url).pathname + new URL(editor.url).search)).status).toBe(303)
  expect((await ask('/')).status).toBe(200)
  expect((await ask('/', { headers: { cookie: `${cookie}x` } })).status).toBe(403)
})

test('another host, another site and other methods are refused', async () => {
  const port = new URL(origin).port
  for (const host of [`localhost:${port}`, `evil.example:${port}`, '127.0.0.1', '127.0.0.1:1'])
    expect([host, (await ask('/drawing', { headers: { host } })).status]).toEqual([host, 403])
  const foreign: Record<string, string>[] = [
    { origin: 'http://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ]
  for (const headers of foreign) {
    expect([headers, (await ask('/drawing', { headers })).status]).toEqual([headers, 403])
    expect([headers, (await post('/check', { marking: [] }, headers)).status]).toEqual([headers, 403])
  }
  const noOrigin = {
    method: 'POST',
    body: '{"marking":[]}',
    headers: { cookie, 'content-type': 'application/json' },
  }
  expect((await fetch(`${origin}/check`, noOrigin)).status).toBe(403)
  for (const [method, path, allow] of [
    ['PUT', '/save', 'POST'],
    ['DELETE', '/drawing', 'GET'],
    ['POST', '/', 'GET'],
    ['GET', '/save', 'POST'],
  ]) {
    const response = await ask(path!, { method })
    expect([method, path, response.status, response.headers.get('allow')]).toEqual([method, path, 405, allow])
  }
})

test('no path leads out of the files of the page', async () => {
  for (const path of [
    '/../plan.svg',
    '/assets/../../plan.svg',
    '/assets/%2e%2e/%2e%2e/plan.svg',
    '/assets/..%2f..%2fplan.svg',
    '//plan.svg',
    '/plan.svg',
    '/assets/',
    '/editor.html',
    '/board/images/../../plan.svg',
    '/board.svg',
  ]) {
    const answer = await rawGet(origin, path, [`Cookie: ${cookie}`])
    expect([path, answer.split(' ')[1]]).toEqual([path, '404'])
    expect(answer).not.toContain('<svg')
  }
})

test('everything is answered under a policy that lets nothing else in', async () => {
  for (const response of [
    await ask('/'),
    await ask('/drawing'),
    await ask('/assets/editor-1.js'),
    await ask('/none'),
    await fetch(origin),
  ]) {
    const policy = response.headers.get('content-security-policy')
    expect(policy).toStartWith("default-src 'none'; script-src 'self'; style-src 'self'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
  }
})

test('the drawing is shown in its cleaned form, and a marking judged as by `board check`', async () => {
  const begun = await begunIn(await ask('/drawing'))
  expect(begun).toMatchObject({ name: 'plan.svg', target: file, marking: [] })
  expect(begun.svg).toContain('<g id="board-tank">')
  expect(begun.markable).toContain('polygon')
  const judged = await judgedIn(await post('/check', { marking: sections }))
  expect(judged.faults).toEqual([])
  expect(judged.svg).toContain('data-section="pit"')
  const none = await judgedIn(await post('/check', { marking: [] }))
  expect(none.faults).toEqual([expect.stringContaining('no section')])
  const far: Marking = [{ id: 'far', label: 'Far', parts: [{ rect: [900, 900, 5, 5] }] }]
  expect((await judgedIn(await post('/check', { marking: far }))).warnings).toEqual([
    { text: expect.stringContaining('lies outside the view'), harmless: false },
  ])
})

test('what is no marking of this drawing is refused', async () => {
  for (const body of [
    '{',
    '[]',
    'null',
    { marking: 1 },
    { marking: [{ id: 'a', label: 'A', parts: [] }] },
    { marking: [{ id: 'a', label: 'A', parts: [{ path: '9' }] }] },
    { marking: [{ id: 'a', label: 'A', parts: [{ path: '../..' }] }] },
  ])
    expect([body, (await post('/check', body)).status]).toEqual([body, 422])
  expect((await post('/save', { marking: sections }, { 'content-type': 'text/plain' })).status).toBe(422)
  expect(readFileSync(file, 'utf8')).toBe(PLAN)
})

test('only what the check accepts is saved, over another file only when asked to, and that is kept', async () => {
  const refused = await post('/save', { marking: [{ ...sections[0], id: 'No id!' }], replace: true })
  expect([refused.status, (await judgedIn(refused)).faults]).toEqual([
    422,
    [expect.stringContaining('an id is 1 to 40')],
  ])
  const asked = await post('/save', { marking: sections })
  expect([asked.status, await asked.json()]).toEqual([409, { exists: true }])
  expect(readFileSync(file, 'utf8')).toBe(PLAN)
  const done = await post('/save', { marking: sections, replace: true })
  expect(await done.json()).toEqual({ target: file, sections: 2, kept: `${file}.bak` })
  expect(readFileSync(`${file}.bak`, 'utf8')).toBe(PLAN)
  expect([...loadBoard(file).sections.keys()]).toEqual(['tank', 'pit'])
  expect((await post('/save', { marking: sections.slice(0, 1) })).status).toBe(200)
  expect(existsSync(`${file}.bak.2`)).toBe(false)
  writeFileSync(file, 'of somebody else')
  expect((await post('/save', { marking: sections })).status).toBe(409)
  expect(readFileSync(file, 'utf8')).toBe('of somebody else')
  expect(saved.map(({ sections }) => sections)).toEqual([2, 1])
})

test('a file that cannot be written is told in words, and stays', async () => {
  writeFileSync(place.file('other.svg'), PLAN)
  const other = start('other.svg', place.file('none/out.svg'))
  const { origin: there } = new URL(other.url)
  const response = await fetch(`${there}/save`, {
    method: 'POST',
    body: JSON.stringify({ marking: sections }),
    headers: { cookie: await enter(other), origin: there, 'content-type': 'application/json' },
  })
  expect([response.status, (await judgedIn(response)).faults]).toEqual([
    500,
    [expect.stringContaining('its folder is not there')],
  ])
  await other.stop()
})

test('a photograph becomes a drawing beside it, shown from its own bytes', async () => {
  const hallway = photograph(64, 48)
  writeFileSync(place.file('hall.png'), hallway)
  const hall = start('hall.png')
  const { origin: there } = new URL(hall.url)
  const headers = { cookie: await enter(hall), origin: there }
  const begun = await begunIn(await fetch(`${there}/drawing`, { headers }))
  expect(begun.target).toBe(place.file('hall.svg'))
  expect(begun.svg).toContain('viewBox="0 0 64 48"')
  const [path = ''] = /\/board\/images\/\w+/.exec(begun.svg) ?? []
  expect((await fetch(there + path)).status).toBe(403)
  const shown = await fetch(there + path, { headers })
  expect(shown.headers.get('content-type')).toBe('image/png')
  expect(Buffer.from(await shown.arrayBuffer()).equals(hallway)).toBe(true)
  await hall.stop()
})

test('a picture that is too large is refused with what to do', () => {
  writeFileSync(place.file('large.jpg'), Buffer.alloc(5 * 1024 * 1024))
  expect(() => new EditedBoard(place.file('large.jpg'))).toThrow(/larger than 2 MiB: save it smaller/)
})

test('the server hands out nothing of the editor', () => {
  const editorFiles = [...readFiles(assets.editor).keys()]
  const { files } = readBundle(assets.web)
  expect(editorFiles).toContain('/editor.html')
  expect(editorFiles.filter(path => files.has(path))).toEqual([])
})
