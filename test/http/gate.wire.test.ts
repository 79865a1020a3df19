import { beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { sql } from 'drizzle-orm'
import { assets } from '../../server/assets.ts'
import { problemOf, project, report } from '../support/api.ts'
import { ALICE, OWNER, sharedApp, type TestApp } from '../support/app.ts'
import { rawGet, statusOf } from '../support/raw.ts'
import { everyRoute } from '../support/routes.ts'

let app: TestApp
const SECRET = 'words that nobody may read without a session'
beforeAll(async () => {
  app = await sharedApp()
  const { id } = await project(app)
  await report(app.as(ALICE), id, SECRET)
})

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']
const publicApi = ['/api/health', '/api/session']

describe('without a session', () => {
  test('every API path, whatever the method, is 401, but for health and session', async () => {
    const paths = new Set(
      everyRoute(app)
        .map(route => route.path)
        .filter(path => path.startsWith('/api')),
    )
    expect(paths.size).toBeGreaterThan(6)
    for (const path of [
      ...paths,
      '/api',
      '/api/',
      '/api/unknown',
      '/api/defects/x',
      '/api/healthz',
      '/api/health/x',
      '/api/session.json',
      '/api/defects.css',
    ]) {
      for (const method of methods) {
        const open = publicApi.includes(path) && ['GET', 'HEAD'].includes(method)
        const response = await app.anonymous(path, { method })
        expect([`${method} ${path}`, response.status]).toEqual([`${method} ${path}`, open ? 200 : 401])
        expect(await response.text()).not.toContain(SECRET)
      }
    }
  })

  test('pages lead to sign-in and come back to where one wanted to go', async () => {
    for (const [path, location] of [
      ['/', '/login'],
      ['/sections/usb-port', '/login?return_to=%2Fsections%2Fusb-port'],
      ['/board.svg', '/login?return_to=%2Fboard.svg'],
      ['/nothing/here', '/login?return_to=%2Fnothing%2Fhere'],
    ]) {
      const response = await app.anonymous(path!)
      expect([path, response.status, response.headers.get('location')]).toEqual([path!, 302, location!])
      expect((await app.anonymous(path!, { method: 'POST' })).status).toBe(401)
    }
  })

  test('every public file holds nothing that anybody filed, and no source map is among them', async () => {
    const files = readdirSync(assets.web, { recursive: true, withFileTypes: true })
    expect(files.some(file => file.name.endsWith('.map'))).toBe(false)
    for (const { path } of everyRoute(app).filter(route =>
      /^\/(assets|icons|sw|manifest|favicon)/.test(route.path),
    )) {
      const response = await app.anonymous(path)
      expect([path, response.status]).toEqual([path, 200])
      expect(await response.text()).not.toContain(SECRET)
    }
  })

  const tricks = [
    '//api/defects',
    '/api//defects',
    '///',
    '/%61pi/defects',
    '/api/%64efects',
    '/api/./defects',
    '/x/../api/defects',
    '/x/%2e%2e/api/defects',
    '/login/../api/defects',
    '/login/%2e%2e/api/defects',
    '/login/%2E%2E%2Fapi/defects',
    '/auth/test/../../api/defects',
    '/api/defects;x',
    '/api/health;/../defects',
    '/api/defects;.css',
    '/api/defects.json',
    '/api/defects.css',
    '/api/defects/x.css',
    '/api/defects?/api/health',
    '/api/defects?x=/login',
    '/api/defects#/api/health',
    '/api\\defects',
    '\\api\\defects',
    '/login\\..\\api\\defects',
    '/api/defects%00',
    '/api/defects%20',
    '/api/defects%2f',
    '/api/health%2f..%2fdefects',
    '/..%2fsecret',
    '/%2e%2e%2fetc%2fpasswd',
    '/assets/..%2f..%2fetc%2fpasswd',
    '/assets/../../etc/passwd',
    '/assets/%5c..%5c',
    '/%252e%252e/api/defects',
    '/sections/../api/defects',
    '/sections/x/../../api/defects',
    'http://evil.test/api/defects',
    '/API/defects',
    '/api/Defects',
    '/.env',
    '/.git/config',
    '/index.html',
    '/page.html',
    '/assets/',
    '/assets',
  ]
  test.each(tricks)('the path trick %p reaches nothing', async target => {
    const answer = await rawGet(app.origin, target)
    expect(answer).not.toContain(SECRET)
    expect(answer).not.toContain('root:')
    expect(statusOf(answer)).toBeOneOf([0, 302, 400, 401, 404])
  })

  test('headers of proxies and health checkers open nothing', async () => {
    for (const header of [
      'X-Forwarded-Uri: /api/health',
      'X-Forwarded-Path: /login',
      'X-Forwarded-Prefix: /api/health',
      'X-Original-URL: /login',
      'X-Rewrite-URL: /login',
      'X-Forwarded-Host: localhost',
      'X-Real-IP: 127.0.0.1',
      'Forwarded: for=127.0.0.1',
      'User-Agent: GoogleHC/1.0',
      'User-Agent: kube-probe/1.30',
      'User-Agent: ELB-HealthChecker/2.0',
      'Accept: text/html',
    ]) {
      expect(statusOf(await rawGet(app.origin, '/api/defects', [header]))).toBe(401)
    }
    expect(statusOf(await rawGet(app.origin, '/', ['Accept: application/json']))).toBe(302)
  })

  test.each(['get', 'FOO', 'GET\t/', 'G'.repeat(5_000)])('the method %p opens nothing', async method => {
    const answer = await rawGet(app.origin, '/api/defects', [], method)
    expect(statusOf(answer)).toBeOneOf([0, 400, 401, 405, 431, 501, 505])
    expect(answer).not.toContain(SECRET)
  })

  test('the session endpoint says that nobody is signed in, and no more', async () => {
    const response = await app.anonymous('/api/session')
    expect([response.status, await response.json()]).toEqual([200, { user: null }])
  })

  test('a sign-in path of another provider is 404, with or without a session', async () => {
    for (const path of ['/auth/nope', '/auth/nope/callback', '/auth/', '/auth/test/x', '/auth/logout/x']) {
      expect((await app.anonymous(path)).status).toBe(404)
      expect((await app.as(ALICE)(path)).status).toBe(404)
    }
  })
})

describe('with a session', () => {
  test('an unknown API path is 404 as JSON, another a page', async () => {
    const api = await app.as(ALICE)('/api/unknown')
    expect([api.status, (await problemOf(api)).code]).toEqual([404, 'not_found'])
    const page = await app.as(ALICE)('/nothing/here')
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
  })

  test('a wrong method is 405 and names the right ones', async () => {
    for (const [method, path, allow] of [
      ['DELETE', '/api/defects', ['GET', 'HEAD', 'POST']],
      ['PUT', '/api/projects', ['GET', 'HEAD', 'POST']],
      ['GET', '/api/subscriptions', ['DELETE', 'POST']],
      ['POST', '/api/defects/counts', ['GET', 'HEAD']],
      ['POST', '/', ['GET', 'HEAD']],
      ['POST', '/board.svg', ['GET', 'HEAD']],
      ['POST', '/login', ['GET', 'HEAD']],
      ['GET', '/auth/logout', ['POST']],
      ['POST', '/auth/test/callback', ['GET']],
      ['HEAD', '/auth/test/callback', ['GET']],
    ] as const) {
      const response = await app.as(ALICE)(path, { method })
      expect([method, path, response.status]).toEqual([method, path, 405])
      expect(response.headers.get('allow')?.split(', ').sort()).toEqual([...allow])
    }
  })

  test('subscriptions are for the owner alone, and that is judged before the body', async () => {
    for (const method of ['POST', 'DELETE']) {
      const refused = await app.as(ALICE)('/api/subscriptions', { method, body: 'x' })
      expect([refused.status, (await problemOf(refused)).code]).toEqual([403, 'owner_only'])
      expect((await app.as(OWNER)('/api/subscriptions', { method, body: 'x' })).status).toBe(415)
    }
  })

  test('HEAD answers as GET does, without the body', async () => {
    for (const path of ['/api/defects', '/api/projects', '/', '/board.svg', '/api/health']) {
      const response = await app.as(ALICE)(path, { method: 'HEAD' })
      expect([path, response.status, await response.text()]).toEqual([path, 200, ''])
    }
  })

  test('the board and the shell of its pages are served, and revalidate', async () => {
    for (const path of ['/', '/sections/usb-port', '/sections/usb-port?days=30d', '/board.svg']) {
      const response = await app.as(ALICE)(path)
      expect(response.status).toBe(200)
      expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
      const etag = response.headers.get('etag') ?? ''
      expect((await app.as(ALICE)(path, { headers: { 'if-none-match': etag } })).status).toBe(304)
    }
  })

  test('a section that nobody knows is a page that says so', async () => {
    for (const id of ['unknown', 'UPPER', 'a'.repeat(200), '%C3%A9', 'constructor']) {
      const response = await app.as(ALICE)(`/sections/${id}`)
      expect([id, response.status, response.headers.get('content-type')]).toEqual([
        id,
        404,
        'text/html; charset=utf-8',
      ])
      expect(await response.text()).toContain('No such section')
    }
  })

  test('a section that left the board keeps its page as long as it has defects', async () => {
    await app.db.write(queries =>
      queries.execute(sql`insert into section_totals (section_id, slot, count) values ('retired', 0, 1)`),
    )
    expect((await app.as(ALICE)('/sections/retired')).status).toBe(200)
  })

  test('whatever is refused outside the API is a page', async () => {
    for (const [method, path, status, send] of [
      ['POST', '/', 405, app.as(ALICE)],
      ['POST', '/board.svg', 405, app.as(ALICE)],
      ['DELETE', '/login', 405, app.anonymous],
      ['GET', '/auth/logout', 405, app.anonymous],
      ['POST', '/nothing', 404, app.as(ALICE)],
      ['POST', '/', 401, app.anonymous],
      ['GET', '/%61', 400, app.anonymous],
    ] as const) {
      const response = await send(path, { method })
      expect([method, path, response.status]).toEqual([method, path, status])
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(response.headers.get('content-security-policy')).toContain("default-src 'self'")
    }
    const evil = await app.as(ALICE)('/auth/logout', {
      method: 'POST',
      headers: { origin: 'https://evil.test' },
    })
    expect([evil.status, evil.headers.get('content-type')]).toEqual([403, 'text/html; charset=utf-8'])
  })

  test('the API describes itself, in step with its routes', async () => {
    const document = (await (await app.as(ALICE)('/api/openapi.json')).json()) as {
      paths: Record<string, object>
    }
    expect(Object.keys(document.paths).sort()).toEqual([
      '/api/defects',
      '/api/defects/counts',
      '/api/defects/export',
      '/api/defects/trends',
      '/api/defects/{id}',
      '/api/health',
      '/api/projects',
      '/api/session',
      '/api/subscriptions',
    ])
    expect(JSON.stringify(document)).toContain('application/json')
  })
})

test('every response of ours carries its request id and forbids sniffing', async () => {
  for (const [path, status] of [
    ['/api/health?live', 200],
    ['/api/defects', 401],
    ['/', 302],
    ['/login', 200],
    ['/sw.js', 200],
  ] as const) {
    const response = await app.anonymous(path)
    expect([path, response.status]).toEqual([path, status])
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('referrer-policy')).toBe('same-origin')
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  }
})
