import { describe, expect, test } from 'bun:test'
import { ALICE, OWNER, testApp } from '../support/app.ts'
import { browser, locationOf } from '../support/browser.ts'
import { besideProvider, isIn, userOf } from '../support/sign-in.ts'

const here = besideProvider()
const { arrive, newBrowser } = here

describe('signing out', () => {
  test.each<[string, RequestInit]>([
    ['as a form does', { body: new URLSearchParams({ a: 'b' }) }],
    ['without a body', {}],
    ['with broken JSON', { body: '{', headers: { 'content-type': 'application/json' } }],
    ['with text', { body: 'x', headers: { 'content-type': 'text/plain' } }],
    ['from our own page', { headers: { origin: 'OWN', 'sec-fetch-site': 'same-origin' } }],
  ])('%s ends the session', async (_, init) => {
    const { person } = await arrive({})
    const headers = new Headers(init.headers)
    if (headers.get('origin') === 'OWN') headers.set('origin', here.app.origin)
    const response = await person.get('/auth/logout', { method: 'POST', ...init, headers })
    expect([response.status, locationOf(response)]).toEqual([303, '/login'])
    expect(person.cookies.has('faultline')).toBe(false)
    expect(await isIn(person)).toBe(false)
    expect(await userOf(person)).toBeNull()
  })

  test('clears what the browser stored, but not its drafts', async () => {
    const { person } = await arrive({})
    const response = await person.get('/auth/logout', { method: 'POST' })
    expect(response.headers.get('clear-site-data')).toBe('"cache"')
  })

  test('leaves nothing that a browser could show again: what is gated is stored by nobody', async () => {
    for (const path of [
      '/',
      '/sections/usb-port',
      '/api/defects',
      '/api/defects/counts',
      '/api/projects',
      '/api/session',
    ]) {
      const response = await here.app.as(ALICE)(path)
      expect([path, response.headers.get('cache-control')]).toEqual([path, 'no-store'])
    }
  })

  test('works also when there is nothing to end', async () => {
    const response = await here.app.anonymous('/auth/logout', { method: 'POST' })
    expect([response.status, locationOf(response)]).toEqual([303, '/login'])
    expect(response.headers.getSetCookie()).toEqual(['faultline=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax'])
  })

  test.each<Record<string, string>>([
    { origin: 'https://evil.test' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ])('is not for other sites: %j', async headers => {
    const { person } = await arrive({})
    expect((await person.get('/auth/logout', { method: 'POST', headers })).status).toBe(403)
    expect(await isIn(person)).toBe(true)
  })

  test('does not happen by a link', async () => {
    const { person } = await arrive({})
    expect((await person.get('/auth/logout')).status).toBe(405)
    expect(await isIn(person)).toBe(true)
  })
})

describe('/api/session', () => {
  test('says nothing to strangers', async () => {
    expect(await (await here.app.anonymous('/api/session')).json()).toEqual({ user: null })
  })

  test('says who one is, until when, and to the owner what push needs', async () => {
    const answer = await (await here.app.as(ALICE)('/api/session')).json()
    expect(answer).toEqual({
      user: { email: ALICE, is_owner: false },
      expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    })
    expect(await (await here.app.as(OWNER)('/api/session')).json()).toMatchObject({
      user: { email: OWNER, is_owner: true },
      push: null,
    })
  })
})

describe('a session cookie', () => {
  const ask = (cookie: string) => here.app.anonymous('/api/defects', { headers: { cookie } })

  test('that is not one is no session and no fault', async () => {
    const good = (await here.app.cookie(ALICE)).slice('faultline='.length)
    const parts = good.split('*')
    const flipped = parts.map((part, at) =>
      parts.with(at, part.endsWith('A') ? `${part.slice(0, -1)}B` : `${part.slice(0, -1)}A`).join('*'),
    )
    const values = [
      '',
      ...flipped,
      good.slice(0, -1),
      parts.with(5, '').join('*'),
      parts.with(5, '253402300799000').join('*'),
      ...['Fe26.1', 'fe26.2'].map(prefix => parts.with(0, prefix).join('*')),
      ...['__proto__', 'constructor', 'toString'].map(id => parts.with(1, id).join('*')),
      '{"email":"owner@example.com"}',
      '[1]',
      '%7B%22email%22%3A%22owner%40example.com%22%7D',
      '%E0%A4%A',
      'x'.repeat(6_000),
    ]
    for (const value of values) expect((await ask(`faultline=${value}`)).status).toBe(401)
    expect((await ask('other=1')).status).toBe(401)
    expect((await ask(`faultline=${good}`)).status).toBe(200)
  })

  test('beside a bad one of its name still counts', async () => {
    const good = await here.app.cookie(ALICE)
    expect((await ask(`${good}; faultline=bad`)).status).toBe(200)
    expect((await ask(`faultline=bad; ${good}`)).status).toBe(200)
  })

  test('cannot be had from an attempt to sign in', async () => {
    const person = newBrowser()
    await person.begin('/auth/test')
    const [attempt = ''] = person.cookies.values()
    expect((await ask(`faultline=${attempt}`)).status).toBe(401)
  })

  test('follows the configuration in force', async () => {
    const there = await testApp({ env: { OAUTH_ISSUER: here.provider.issuer } })
    const cookie = await there.cookie(OWNER)
    const status = async (path: string, init: RequestInit = {}) =>
      (await there.anonymous(path, { ...init, headers: { cookie, ...init.headers } })).status
    const asOwner = () =>
      status('/api/subscriptions', { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'x' })
    expect(await asOwner()).toBe(415)

    await there.restart({ OWNER_EMAIL: 'new@example.com' })
    expect(await asOwner()).toBe(403)
    expect(await status('/api/defects')).toBe(200)

    const old = there.env.SESSION_PASSWORD!
    const fresh = 'a new password of enough different characters'
    await there.restart({ SESSION_PASSWORD: fresh, SESSION_PASSWORD_PREVIOUS: old })
    expect(await status('/api/defects')).toBe(200)
    await there.restart({ SESSION_PASSWORD_PREVIOUS: '' })
    expect(await status('/api/defects')).toBe(401)
    await there.restart({
      SESSION_PASSWORD: old,
      ALLOWED_DOMAIN: 'moved.example',
      OWNER_EMAIL: 'o@moved.example',
    })
    expect(await status('/api/defects')).toBe(401)
    await there.stop()
  })

  test('on https is bound to the host and secure', async () => {
    const there = await testApp({
      env: { PUBLIC_URL: 'https://faultline.example.com', OAUTH_ISSUER: here.provider.issuer },
    })
    const person = browser((path, init) => fetch(there.origin + path, init))
    const started = await person.get('/auth/test')
    expect(started.headers.get('set-cookie')).toMatch(/^__Host-faultline-tx-.*; Path=\/;.*; Secure$/)
    const callback = new URL(locationOf(await fetch(locationOf(started), { redirect: 'manual' })))
    expect(callback.origin).toBe('https://faultline.example.com')
    const finished = await person.get(callback.pathname + callback.search)
    const [session = ''] = finished.headers.getSetCookie()
    expect(session).toMatch(
      /^__Host-faultline=Fe26\.2\*[^;]+; Max-Age=604740; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    )
    expect(finished.headers.get('strict-transport-security')).toContain('max-age')
    expect((await person.get('/api/defects')).status).toBe(200)
    await there.stop()
  })
})
