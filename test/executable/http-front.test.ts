import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { sql } from 'drizzle-orm'
import { project } from '../support/api.ts'
import { ALICE, type TestApp, testApp } from '../support/app.ts'
import { healthy } from '../support/health.ts'
import { raw, rawGet, statusOf } from '../support/raw.ts'
import { until } from '../support/until.ts'

let app: TestApp
let cookie: string
let projectId: string
beforeAll(async () => {
  app = await testApp()
  cookie = await app.cookie(ALICE)
  projectId = (await project(app)).id
})
afterAll(() => app.stop())

const body = () => JSON.stringify({ section_id: 'cpu', project_id: projectId, verbatim: 'smuggled' })
const head = (lines: string[]) =>
  [`POST /api/defects HTTP/1.1`, 'Host: x', `Cookie: ${cookie}`, ...lines, '', ''].join('\r\n')

async function stored(): Promise<number> {
  const [row] = await app.db.read(queries =>
    queries.execute<{ n: number }>(sql`select count(*)::int as n from defects`),
  )
  return row!.n
}

function open(first: string): Promise<Socket> {
  const { hostname, port } = new URL(app.origin)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(first)
      resolve(socket)
    })
    socket.on('error', reject)
  })
}

test('a body that never becomes whole stores nothing and crashes nothing', async () => {
  const before = 'GET /api/health?live HTTP/1.1\r\nHost: x\r\n\r\n'
  const half = head(['Content-Type: application/json', 'Content-Length: 400']) + body()
  const socket = await open(before + half)
  // What came in one piece with a request that is answered has arrived.
  await new Promise(resolve => socket.once('data', resolve))
  socket.destroy()
  await healthy(app.origin)
  expect(await stored()).toBe(0)
})

const ambiguous: [string, string][] = [
  ['length and chunks at once', `Content-Length: 5\r\nTransfer-Encoding: chunked`],
  ['two lengths that differ', 'Content-Length: 5\r\nContent-Length: 50'],
  ['a length with a sign', 'Content-Length: +5'],
  ['an unknown transfer coding', 'Transfer-Encoding: xchunked'],
  ['a space before the colon', 'Transfer-Encoding : chunked'],
]
test.each(ambiguous)('%s: refused, and what follows is not run as a request', async (_, headers) => {
  const inner = `${head(['Content-Type: application/json', `Content-Length: ${body().length}`])}${body()}`
  const answer = await raw(
    app.origin,
    `${head(['Content-Type: application/json', headers])}0\r\n\r\n${inner}`,
    {
      waitMs: 700,
    },
  )
  expect(statusOf(answer)).toBeOneOf([0, 400, 501])
  expect(answer).not.toContain('201 Created')
  expect(await stored()).toBe(0)
})

test.each([
  ['NUL', 'X-Test: a\0b'],
  ['a bare line feed', 'X-Test: a\nX-Other: b'],
  ['a folded line', 'X-Test: a\r\n b'],
])('%s in a header does not confuse', async (_, header) => {
  const answer = await rawGet(app.origin, '/api/defects', [header])
  expect(statusOf(answer)).toBeOneOf([0, 400, 401, 505])
})

test('over 1 MiB is refused by the front itself', async () => {
  const answer = await raw(app.origin, head(['Content-Type: application/json', 'Content-Length: 5000000']), {
    waitMs: 700,
  })
  expect(statusOf(answer)).toBeOneOf([0, 413])
})

test('slow senders are cut off, and others do not notice them', async () => {
  const many = process.env.FAULTLINE_LONG ? 500 : 60
  const slow = await Promise.all(Array.from({ length: many }, () => open('GET / HTTP/1.1\r\nHost: x\r\nX: ')))
  const dripping = setInterval(() => {
    for (const socket of slow) if (!socket.destroyed) socket.write('a')
  }, 1_000)
  const closed = Promise.all(slow.map(socket => new Promise(resolve => socket.on('close', resolve))))
  for (let i = 0; i < 20; i++) expect((await app.anonymous('/api/health?live')).status).toBe(200)
  await closed
  clearInterval(dripping)
})

test('a thousand pipelined requests are all answered', async () => {
  const one = `GET /api/health?live HTTP/1.1\r\nHost: x\r\n\r\n`
  const last = `GET /api/health?live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`
  const answer = await raw(app.origin, one.repeat(999) + last)
  expect(answer.match(/HTTP\/1\.1 200/g)).toHaveLength(1_000)
})

test('idle connections do not keep others out, and their files are given back', async () => {
  const files = () => readdirSync(`/proc/${app.pid ?? process.pid}/fd`).length
  const before = files()
  const idle = await Promise.all(Array.from({ length: 300 }, () => open('')))
  await healthy(app.origin)
  for (const socket of idle) socket.destroy()
  await until(() => files() <= before + 20, 'the files are given back')
})

test('a range of an asset is answered whole or refused, never multiplied', async () => {
  const ranges = Array.from({ length: 1_000 }, (_, i) => `${i}-${i}`).join(',')
  const answer = await rawGet(app.origin, '/sw.js', [`Range: bytes=${ranges}`])
  expect(statusOf(answer)).toBeOneOf([200, 206, 416, 431])
})

test('text of people is not compressed together with anything secret', async () => {
  const answer = await app.as(ALICE)('/api/defects', { headers: { 'accept-encoding': 'gzip, br' } })
  expect(answer.headers.get('content-encoding')).toBeNull()
})
