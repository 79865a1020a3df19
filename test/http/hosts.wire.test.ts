import { beforeAll, describe, expect, test } from 'bun:test'
import { ALICE, sharedApp, type TestApp } from '../support/app.ts'
import { impossibleHosts, possibleHosts } from '../support/odd-hosts.ts'
import { raw, rawGet, statusOf } from '../support/raw.ts'
import { until } from '../support/until.ts'

let app: TestApp
let session: string
beforeAll(async () => {
  app = await sharedApp()
  session = `Cookie: ${await app.cookie(ALICE)}`
})

const addresses = [
  ...[
    '/',
    '/sections/usb-port',
    '/board.svg',
    '/login',
    '/sw.js',
    '/auth/test',
    '/auth/test/callback?code=x',
  ],
  ...[
    '/auth/nope',
    '/nothing',
    '/api/defects',
    '/api/health',
    '/api/health?live',
    '/api/session',
    '/api/unknown',
  ],
]

describe.each([
  ['with', true],
  ['without', false],
])('%s a session', (_, signedIn) => {
  test.each(impossibleHosts)('the Host %p, which no URL can hold, is refused everywhere', async host => {
    for (const path of addresses) {
      for (const method of ['GET', 'HEAD', 'POST']) {
        const headers = [`Host: ${host}`, ...(signedIn ? [session] : [])]
        const answer = await rawGet(app.origin, path, headers, method)
        expect([method, path, statusOf(answer)]).toEqual([method, path, 400])
        const type = path.startsWith('/api') ? 'application/problem+json' : 'text/html'
        expect(answer).toContain(`\r\nContent-Type: ${type}; charset=utf-8\r\n`)
      }
    }
  })
})

test('two Hosts are refused', async () => {
  for (const path of addresses) {
    expect([path, statusOf(await rawGet(app.origin, path, ['Host: a', 'Host: b', session]))]).toEqual([
      path,
      400,
    ])
  }
})

test.each(possibleHosts)('the Host %p, which a URL can hold, is none of our business', async host => {
  const health = () => rawGet(app.origin, '/api/health', [`Host: ${host}`])
  await until(async () => (await health()).includes('"status":"ok"'))
  expect(statusOf(await rawGet(app.origin, '/api/defects', [`Host: ${host}`, session]))).toBe(200)
  expect(statusOf(await rawGet(app.origin, '/api/defects', [`Host: ${host}`]))).toBe(401)
  const body = '{"name":"By any host"}'
  const head = ['POST /api/projects HTTP/1.1', `Host: ${host}`, session, 'Content-Type: application/json']
  const rest = `Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`
  expect(statusOf(await raw(app.origin, `${head.join('\r\n')}\r\n${rest}`))).toBeOneOf([200, 201])
})

describe('HTTP/1.0 without a Host', () => {
  const ask = (method: string, path: string) =>
    raw(app.origin, `${method} ${path} HTTP/1.0\r\n${session}\r\n\r\n`)

  test('asks for health, as balancers do', async () => {
    for (const path of ['/api/health', '/api/health?live']) {
      await until(async () => (await ask('GET', path)).includes('"status":"ok"'))
      await until(async () => statusOf(await ask('HEAD', path)) === 200)
    }
  })

  test('gets nothing else', async () => {
    for (const path of addresses.filter(path => !path.startsWith('/api/health'))) {
      expect([path, statusOf(await ask('GET', path))]).toEqual([path, 400])
    }
    for (const method of ['POST', 'OPTIONS', 'DELETE']) {
      expect([method, statusOf(await ask(method, '/api/health'))]).toEqual([method, 400])
    }
  })
})
