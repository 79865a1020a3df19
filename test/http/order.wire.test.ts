import { beforeAll, expect, test } from 'bun:test'
import { readConfig } from '../../server/config/read.ts'
import { silentLog } from '../../server/log.ts'
import { type Running, start } from '../../server/serve.ts'
import { ALICE, sharedApp, type TestApp } from '../support/app.ts'
import { databaseToCut } from '../support/cut.ts'
import { freePort } from '../support/postgres.ts'
import { raw, statusOf } from '../support/raw.ts'

/** Section 3 of the contract is an order: of two rules that a request breaks, the first one answers. */
let app: TestApp
let session: string
beforeAll(async () => {
  app = await sharedApp()
  session = `Cookie: ${await app.cookie(ALICE)}`
})

const json = 'Content-Type: application/json'
const evil = 'Origin: https://evil.test'
const tooLarge = JSON.stringify({ name: 'x'.repeat(70_000) })
const brokenAndTooLarge = `{${'x'.repeat(70_000)}`

function send(line: string, headers: string[], body = '', origin = app.origin): Promise<string> {
  const host = headers.some(header => header.startsWith('Host:')) ? [] : ['Host: 127.0.0.1']
  const length = `Content-Length: ${Buffer.byteLength(body, 'latin1')}`
  const head = [`${line} HTTP/1.1`, ...host, ...headers, length, 'Connection: close']
  return raw(origin, `${head.join('\r\n')}\r\n\r\n${body}`)
}

test.each<[rule: string, status: number, line: string, headers: () => string[], body: string]>([
  ['1 before 2: malformed, no session', 400, 'GET /api/defects', () => ['Host: 256.256.256.256'], ''],
  ['1 before 2: a path that hides, no session', 400, 'GET /api/%64efects', () => [], ''],
  ['2 before 3: no session, from elsewhere', 401, 'POST /api/projects', () => [evil, json], '{}'],
  ['3 before 4: from elsewhere, unknown path', 403, 'POST /api/unknown', () => [session, evil, json], '{}'],
  ['4 before 5: unknown path, a method nobody takes', 404, 'PROPFIND /api/unknown', () => [session], ''],
  ['5 before 6: wrong method, not the owner', 405, 'GET /api/subscriptions', () => [session], ''],
  ['6 before 7: not the owner, no JSON', 403, 'POST /api/subscriptions', () => [session], 'x'],
  ['7 before 8: no JSON, too large', 415, 'POST /api/projects', () => [session], tooLarge],
  ['8 before 9: too large, malformed', 413, 'POST /api/projects', () => [session, json], brokenAndTooLarge],
  ['9 before 10: malformed, unknown parameter', 400, 'POST /api/projects?x=1', () => [session, json], '{'],
  ['9 before 10: malformed, unknown parameter', 400, 'POST /api/defects?x=1', () => [session, json], '{'],
  [
    '9 before 10: no UTF-8, unknown parameter',
    400,
    'POST /api/defects?x=1',
    () => [session, json],
    '{"a":"\xff"}',
  ],
  ['10: sound JSON, unknown parameter', 422, 'POST /api/projects?x=1', () => [session, json], '{"name":"x"}'],
])('%s → %d', async (_, status, line, headers, body) => {
  expect(statusOf(await send(line, headers(), body))).toBe(status)
})

test('10 before 11: a broken rule is told although the database is away', async () => {
  const cut = await databaseToCut('postgres')
  const DATABASE_URL = cut.behind.kind === 'postgres' ? cut.behind.url : ''
  const running: Running = await start(
    readConfig({ ...app.env, PORT: String(await freePort()), DATABASE_URL }),
    silentLog,
  )
  await running.ready
  cut.proxy.close()
  try {
    const ask = (line: string, body = '') => send(line, [session, json], body, running.url!)
    expect(statusOf(await ask('POST /api/projects', '{"name":""}'))).toBe(422)
    expect(statusOf(await ask('GET /api/defects?limit=0'))).toBe(422)
    const unavailable = await ask('POST /api/projects', '{"name":"x"}')
    expect(statusOf(unavailable)).toBe(503)
    expect(unavailable.toLowerCase()).toContain('\r\nretry-after: ')
    expect(statusOf(await ask('GET /sections/usb-port'))).toBe(200)
    const unknowable = await ask('GET /sections/retired')
    expect(statusOf(unknowable)).toBe(503)
    expect(unknowable.toLowerCase()).toContain('\r\ncontent-type: text/html')
  } finally {
    await running.stop()
    await cut.close()
  }
})
