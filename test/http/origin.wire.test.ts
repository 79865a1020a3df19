import { beforeAll, describe, expect, test } from 'bun:test'
import { ALICE, sharedApp, type TestApp } from '../support/app.ts'
import { raw, statusOf } from '../support/raw.ts'

let app: TestApp
beforeAll(async () => {
  app = await sharedApp()
})

describe('a request that a browser sent from elsewhere', () => {
  const cases: [string, Record<string, string>, number][] = [
    ['another origin', { origin: 'https://evil.test' }, 403],
    ['an opaque origin', { origin: 'null' }, 403],
    ['the origin with a suffix', { origin: `ORIGIN.evil.test` }, 403],
    ['the origin with a path', { origin: 'ORIGIN/' }, 403],
    ['the origin on another scheme', { origin: 'SECURE' }, 403],
    ['another site', { 'sec-fetch-site': 'cross-site' }, 403],
    ['a sibling site', { 'sec-fetch-site': 'same-site' }, 403],
    ['an unknown word for the site', { 'sec-fetch-site': 'x' }, 403],
    ['the right origin from another site', { origin: 'ORIGIN', 'sec-fetch-site': 'cross-site' }, 403],
    ['the right origin', { origin: 'ORIGIN' }, 201],
    ['the same site', { 'sec-fetch-site': 'same-origin' }, 201],
    ['typed by a person', { 'sec-fetch-site': 'none' }, 201],
    ['no browser at all', {}, 201],
  ]
  test.each(cases)('%s', async (_, headers, status) => {
    const real = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        name,
        value.replace('ORIGIN', app.origin).replace('SECURE', app.origin.replace('http:', 'https:')),
      ]),
    )
    const response = await app.as(ALICE)('/api/projects', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...real },
      body: JSON.stringify({ name: `Project ${crypto.randomUUID()}` }),
    })
    expect(response.status).toBe(status)
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
  })

  test('is judged before what it asks for', async () => {
    const headers = { origin: 'https://evil.test' }
    expect((await app.as(ALICE)('/api/unknown', { method: 'POST', headers })).status).toBe(403)
    expect((await app.anonymous('/api/unknown', { method: 'POST', headers })).status).toBe(401)
    expect((await app.anonymous('/auth/logout', { method: 'POST', headers })).status).toBe(403)
  })

  test('two Origin headers are refused', async () => {
    const cookie = await app.cookie(ALICE)
    const answer = await raw(
      app.origin,
      `POST /api/projects HTTP/1.1\r\nHost: x\r\nCookie: ${cookie}\r\nOrigin: ${app.origin}\r\nOrigin: https://evil.test\r\nContent-Type: application/json\r\nContent-Length: 14\r\nConnection: close\r\n\r\n{"name":"two"}`,
    )
    expect(statusOf(answer)).toBeOneOf([400, 403])
  })
})
