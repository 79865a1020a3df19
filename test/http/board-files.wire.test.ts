import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ALICE, type TestApp, testApp } from '../support/app.ts'
import { drawing, SECTION } from '../support/board.ts'

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
let app: TestApp
let picture: string
const home = mkdtempSync(join(tmpdir(), 'board-files-'))

beforeAll(async () => {
  const file = join(home, 'board.svg')
  const image = `<image width="9" height="9" href="data:image/png;base64,${PNG}"/>`
  await Bun.write(file, drawing(`${SECTION}${image}<font id="f"/><a href="http://x/"/>`))
  app = await testApp({ env: { BOARD_FILE: file } })
  const svg = await (await app.as(ALICE)('/board.svg')).text()
  picture = /<image [^>]*href="([^"]*)"/.exec(svg)![1]!
})
afterAll(async () => {
  await app.stop()
  rmSync(home, { recursive: true, force: true })
})

test('a picture inside the board is served beside it, as what it is', async () => {
  const answer = await app.as(ALICE)(picture)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('image/png')
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
  expect(answer.headers.get('cache-control')).toBe('private, no-cache')
  expect(Buffer.from(await answer.arrayBuffer()).toString('base64')).toBe(PNG)
  const again = await app.as(ALICE)(picture, { headers: { 'if-none-match': answer.headers.get('etag')! } })
  expect(again.status).toBe(304)
})

test('nobody sees it without a session', async () => {
  const answer = await app.anonymous(picture, { redirect: 'manual' })
  expect(answer.status).toBe(302)
  expect(answer.headers.get('location')).toStartWith('/login')
  expect((await app.anonymous(picture, { method: 'POST', redirect: 'manual' })).status).toBe(401)
})

test('no other picture is there, and no other method', async () => {
  for (const path of [
    '/board/images/',
    '/board/images/x',
    '/board',
    `${picture}0`,
    `${picture}/`,
    picture.toUpperCase(),
  ])
    expect((await app.as(ALICE)(path)).status).toBe(404)
  expect((await app.as(ALICE)(picture, { method: 'DELETE' })).status).toBe(405)
})

test('what the import changed is in the log, with element, id and count', () => {
  const changes = app.logs.filter(({ message }) => message === 'the drawing was changed')
  expect(changes).toContainEqual(
    expect.objectContaining({ level: 'warn', element: 'font', id: 'f', line: 1, count: 1 }),
  )
  expect(changes).toContainEqual(expect.objectContaining({ level: 'info', element: 'a', count: 1 }))
})
