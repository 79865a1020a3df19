import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { noAddresses, outsideAddresses } from '../support/addresses.ts'
import { ALICE, OWNER, type TestApp, testApp } from '../support/app.ts'
import { type Browser, browser, locationOf } from '../support/browser.ts'
import { startCertifiedProvider } from '../support/certified-provider.ts'
import { endless, silence, startTestProvider, type TestProvider } from '../support/provider.ts'

let provider: TestProvider
let app: TestApp

beforeAll(async () => {
  provider = await startTestProvider()
  app = await testApp({ env: { OAUTH_ISSUER: provider.issuer } })
})
afterEach(async () => {
  provider.reset()
  expect((await app.anonymous('/api/health')).status).toBe(200)
})
afterAll(async () => {
  await app.stop()
  await provider.stop()
})

const newBrowser = () => browser((path, init) => fetch(app.origin + path, init))
const isIn = async (person: Browser) => (await person.get('/api/defects')).status === 200
const userOf = async (person: Browser) => ((await (await person.get('/api/session')).json()) as Answer).user
interface Answer {
  user: { email: string; is_owner: boolean } | null
}

/** Signs in as the claims say; gives the answer to the callback. */
async function arrive(claims: Record<string, unknown>) {
  provider.claims = claims
  const person = newBrowser()
  const response = await person.signIn('/auth/test')
  return { person, response, html: await response.text() }
}

async function expectRefused({ person, response }: { person: Browser; response: Response }) {
  expect(response.status).toBe(403)
  expect(response.headers.get('content-type')).toStartWith('text/html')
  expect([...person.cookies]).toEqual([])
  expect((await person.get('/api/defects')).status).toBe(401)
}

async function expectOver(person: Browser, response: Response) {
  expect(response.status).toBe(400)
  expect(await response.text()).toContain('href="/auth/test"')
  expect(person.cookies.has('faultline')).toBe(false)
}

describe('signing in', () => {
  test('gives a session and leads to where one wanted to go', async () => {
    const person = newBrowser()
    const response = await person.signIn('/auth/test?return_to=/sections/usb-port?since=7d')
    expect([response.status, locationOf(response)]).toEqual([302, '/sections/usb-port?since=7d'])
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect([...person.cookies.keys()]).toEqual(['faultline'])
    expect(await isIn(person)).toBe(true)
    expect(await userOf(person)).toEqual({ email: 'alice@example.com', is_owner: false })
  })

  test('walks from a page to the sign-in and back to that page', async () => {
    const person = newBrowser()
    const login = locationOf(await person.get('/sections/usb-port'))
    expect(login).toBe('/login?return_to=%2Fsections%2Fusb-port')
    const html = await (await person.get(login)).text()
    const [, start = ''] = /href="(\/auth\/test[^"]*)"/.exec(html) ?? []
    expect(locationOf(await person.signIn(start.replaceAll('&#38;', '&')))).toBe('/sections/usb-port')
  })

  test('begins with a redirect and a short-lived cookie of its own', async () => {
    const response = await app.anonymous('/auth/test')
    expect(response.status).toBe(302)
    const url = new URL(locationOf(response))
    expect(url.searchParams.get('redirect_uri')).toBe(`${app.origin}/auth/test/callback`)
    expect(url.searchParams.get('code_challenge_method')).toBe('S256')
    const [setCookie = '', ...more] = response.headers.getSetCookie()
    expect(more).toEqual([])
    expect(setCookie).toMatch(
      /^faultline-tx-[\w-]{10}=Fe26\.2\*[^;]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/,
    )
  })

  test.each<Record<string, string>>([
    { 'x-forwarded-host': 'evil.test', 'x-forwarded-proto': 'https', forwarded: 'host=evil.test' },
    { host: 'evil.test' },
  ])('is not led elsewhere by %j', async headers => {
    const response = await app.anonymous('/auth/test', { headers })
    if (response.status !== 302) return expect([302, 400]).toContain(response.status)
    const to = new URL(locationOf(response))
    if (to.origin === provider.issuer) {
      expect(to.searchParams.get('redirect_uri')).toBe(`${app.origin}/auth/test/callback`)
    } else {
      expect(to.origin).toBe(app.origin)
    }
  })

  test('lets people choose another account', async () => {
    const to = new URL(locationOf(await app.anonymous('/auth/test?prompt=select_account')))
    expect(to.searchParams.get('prompt')).toBe('select_account')
    expect(new URL(locationOf(await app.anonymous('/auth/test'))).searchParams.has('prompt')).toBe(false)
  })

  test('with the owner’s address makes the owner', async () => {
    const { person } = await arrive({ email: 'Owner@Example.com' })
    expect(await userOf(person)).toEqual({ email: OWNER, is_owner: true })
  })

  test('works against a certified provider', async () => {
    const certified = await startCertifiedProvider(`${app.origin}/auth/test/callback`)
    const there = await testApp({
      env: { PUBLIC_URL: app.origin, OAUTH_ISSUER: certified.issuer, OAUTH_PROVIDER: 'test' },
    })
    const port = there.env.PORT
    const person = browser((path, init) => fetch(`http://127.0.0.1:${port}${path}`, init))
    const start = async () => locationOf(await person.get('/auth/test'))
    const outsider = await certified.signIn(await start(), 'unverified')
    expect((await person.get(outsider.pathname + outsider.search)).status).toBe(403)
    const callback = await certified.signIn(await start(), 'alice')
    expect(locationOf(await person.get(callback.pathname + callback.search))).toBe('/')
    expect(await userOf(person)).toEqual({ email: ALICE, is_owner: false })
    await there.stop()
    certified.stop()
  })
})

describe('an address', () => {
  test.each([
    'alice@example.com',
    'alice+tag@example.com',
    'owner+1@example.com',
    'o.wner@example.com',
    'ALICE@EXAMPLE.COM',
  ])('%s enters, and is not the owner', async email => {
    const { person, response } = await arrive({ email })
    expect(response.status).toBe(302)
    expect(await isIn(person)).toBe(true)
    expect(await userOf(person)).toEqual({ email: email.toLowerCase(), is_owner: false })
  })

  test.each([
    ...outsideAddresses,
    ...noAddresses,
    '',
    'x'.repeat(100_000),
    null,
    42,
    undefined,
    { email: 'alice@example.com' },
  ])('%.60j does not', async email => {
    await expectRefused(await arrive({ email }))
  })

  test.each(['true', 'false', false, null, 1, 0, {}])('with email_verified %j does not', async value => {
    await expectRefused(await arrive({ email_verified: value }))
  })

  test('enters or not whatever the hosted-domain claim says', async () => {
    await expectRefused(await arrive({ hd: 'example.com', email: 'x@gmail.com' }))
    expect((await arrive({ hd: 'evil.test' })).response.status).toBe(302)
  })

  test('is judged by the id_token alone', async () => {
    provider.description = { userinfo_endpoint: `${provider.issuer}/userinfo` }
    await expectRefused(await arrive({ email: 'mallory@evil.test' }))
    expect(
      provider.seen.every(({ endpoint }) => ['discovery', 'authorize', 'token', 'keys'].includes(endpoint)),
    ).toBe(true)
  })
})

describe('a refusal', () => {
  test('says why, for which address, and offers another account', async () => {
    const { html } = await arrive({ email: 'x@gmail.com' })
    expect(html).toContain('x@gmail.com')
    expect(html).toContain('Only addresses that end in @example.com')
    expect(html).toContain('href="/auth/test?prompt=select_account"')
  })

  test('shows look-alike letters, and no markup of an address', async () => {
    expect((await arrive({ email: 'alice@exаmple.com' })).html).toContain('alice@ex\\u{430}mple.com')
    const { html } = await arrive({ email: '<img src=x onerror=alert(1)>@example.com' })
    expect(html).toContain('img src=x')
    expect(html).not.toContain('<img src=x')
  })

  test('tells an address that is not verified from a provider that does not say', async () => {
    expect((await arrive({ email_verified: false })).html).toContain('has not verified')
    const { person, response, html } = await arrive({ email_verified: undefined })
    await expectRefused({ person, response })
    expect(html).toContain('does not say whether')
    const line = app.logs.findLast(({ reason }) => reason === 'verification_missing')
    expect(line).toMatchObject({ level: 'warn', mend: expect.stringContaining('email_verified') })
  })

  test('does not end the session that one has', async () => {
    const { person } = await arrive({})
    provider.claims = { email: 'x@gmail.com' }
    expect((await person.signIn('/auth/test')).status).toBe(403)
    expect(await userOf(person)).toMatchObject({ email: ALICE })
  })
})

describe('the callback', () => {
  test('does nothing for a browser that began nothing', async () => {
    const callback = await newBrowser().begin('/auth/test')
    const other = newBrowser()
    await expectOver(other, await other.get(callback))
    expect(provider.count('token')).toBe(0)
  })

  test('does nothing for any other state', async () => {
    const person = newBrowser()
    const callback = await person.begin('/auth/test')
    const state = new URLSearchParams(callback.split('?')[1]).get('state') ?? ''
    const changed = state.slice(0, -1) + (state.endsWith('A') ? 'E' : 'A')
    for (const other of ['', 'x', changed, `${state}x`, state.toLowerCase(), 'A'.repeat(43)]) {
      await expectOver(person, await person.get(callback.replace(state, other)))
    }
    await expectOver(person, await person.get(`${callback}&state=${state}`))
    await expectOver(person, await person.get(callback.replace(/&?state=[^&]+/, '')))
    expect(provider.count('token')).toBe(0)
    expect((await person.get(callback)).status).toBe(302)
  })

  test('works once, even with the old cookies', async () => {
    const person = newBrowser()
    const callback = await person.begin('/auth/test')
    const before = new Map(person.cookies)
    expect((await person.get(callback)).status).toBe(302)
    expect((await person.get(callback)).status).toBe(400)
    const again = newBrowser()
    for (const [name, value] of before) again.cookies.set(name, value)
    await expectOver(again, await again.get(callback))
    expect(provider.count('token')).toBe(1)
    expect(await isIn(person)).toBe(true)
  })

  test('does not change who is signed in when somebody else began it', async () => {
    const { person: alice } = await arrive({})
    provider.claims = { email: 'mallory@example.com' }
    const attackers = await newBrowser().begin('/auth/test')
    expect((await alice.get(attackers)).status).toBe(400)
    expect(await userOf(alice)).toMatchObject({ email: ALICE })
  })

  test.each(['', '{}', '[1]', '%E0%A4%A', '%7B%7D', 'Fe26.2*a', 'Fe26.2*1*a*a*a*a*a*a', '"'])(
    'is over when the attempt’s cookie is %j',
    async value => {
      const person = newBrowser()
      const callback = await person.begin('/auth/test')
      for (const name of person.cookies.keys()) person.cookies.set(name, value)
      await expectOver(person, await person.get(callback))
      expect(provider.count('token')).toBe(0)
    },
  )

  test('is over when the attempt’s cookie was changed or cut', async () => {
    const person = newBrowser()
    const callback = await person.begin('/auth/test')
    const [[name, value] = ['', '']] = person.cookies
    for (const changed of [value.slice(0, -1), value.replace(/.$/, '!'), value.slice(100), `${value}A`]) {
      person.cookies.set(name, changed)
      await expectOver(person, await person.get(callback))
    }
    expect(provider.count('token')).toBe(0)
  })

  test('is over when a session stands in for the attempt', async () => {
    const person = newBrowser()
    const callback = await person.begin('/auth/test')
    const session = (await app.cookie(OWNER)).split('=').slice(1).join('=')
    for (const name of person.cookies.keys()) person.cookies.set(name, session)
    await expectOver(person, await person.get(callback))
  })

  test.each([
    '',
    'code=',
    'code=%00',
    'code=a%0D%0Ab',
    'code=%C3%A9',
    `code=${'x'.repeat(3_000)}`,
    'code=a&code=b',
  ])('asks for no token with %.30j', async code => {
    const person = newBrowser()
    const callback = await person.begin('/auth/test')
    await expectOver(person, await person.get(callback.replace(/code=[^&]+/, code)))
    expect(provider.count('token')).toBe(0)
  })

  test('passes an odd code on as one parameter', async () => {
    const person = newBrowser()
    const callback = await person.begin('/auth/test')
    const code = 'x&grant_type=client_credentials'
    await expectOver(
      person,
      await person.get(callback.replace(/code=[^&]+/, `code=${encodeURIComponent(code)}`)),
    )
    const { form } = provider.seen.find(({ endpoint }) => endpoint === 'token')!
    expect([form.getAll('code'), form.getAll('grant_type')]).toEqual([[code], ['authorization_code']])
  })

  test('says so when the person cancelled, and asks for no token', async () => {
    provider.answer = { error: 'access_denied', code: undefined }
    const person = newBrowser()
    const callback = await person.begin('/auth/test?return_to=/sections/usb-port')
    const response = await person.get(callback)
    expect(response.status).toBe(403)
    expect(await response.text()).toContain('href="/auth/test?return_to=%2Fsections%2Fusb-port"')
    expect([...person.cookies]).toEqual([])
    await expectOver(person, await person.get(callback))
    expect(provider.count('token')).toBe(0)
  })

  test('believes no error without the state', async () => {
    const person = newBrowser()
    await person.begin('/auth/test')
    await expectOver(person, await person.get('/auth/test/callback?error=access_denied'))
  })

  test.each([
    ['server_error', 502],
    ['temporarily_unavailable', 503],
    ['<script>alert(1)</script>', 502],
  ])('answers the error %s in its own words', async (error, status) => {
    provider.answer = { error, error_description: '<b>their words</b>', code: undefined }
    const person = newBrowser()
    const response = await person.signIn('/auth/test')
    expect(response.status).toBe(status)
    expect(await response.text()).not.toMatch(/<script>|their words/)
  })

  test.each(['HEAD', 'POST', 'PUT', 'OPTIONS'])('%s is refused and burns no code', async method => {
    const person = newBrowser()
    const callback = await person.begin('/auth/test')
    const response = await person.get(callback, { method })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET'])
    expect(provider.count('token')).toBe(0)
    expect((await person.get(callback)).status).toBe(302)
  })

  test('of another provider is not there', async () => {
    const person = newBrowser()
    const callback = await person.begin('/auth/test')
    for (const path of [
      callback.replace('/test/', '/nope/'),
      '/auth/nope',
      '/auth/nope/callback',
      '/auth/',
      '/auth',
    ]) {
      const response = await person.get(path)
      if (path === '/auth') expect([302, 404]).toContain(response.status)
      else expect(response.status).toBe(404)
    }
    expect(provider.count('token')).toBe(0)
    const { person: signedIn } = await arrive({})
    expect((await signedIn.get('/auth/nope/callback')).status).toBe(404)
  })

  test('of an answer that names another issuer is over', async () => {
    provider.answer = { iss: 'https://evil.test' }
    const person = newBrowser()
    await expectOver(person, await person.signIn('/auth/test'))
    expect(provider.count('token')).toBe(0)
  })
})

describe('two tabs', () => {
  test('both finish, in any order', async () => {
    const person = newBrowser()
    const one = await person.begin('/auth/test?return_to=/sections/one')
    const two = await person.begin('/auth/test?return_to=/sections/two')
    expect(locationOf(await person.get(two))).toBe('/sections/two')
    expect(locationOf(await person.get(one))).toBe('/sections/one')
  })

  test('and any number of abandoned attempts lock nobody out', async () => {
    const person = newBrowser()
    for (let count = 0; count < 30; count++) {
      await person.begin(`/auth/test?return_to=/${'x'.repeat(500)}`)
    }
    expect(person.cookies.size).toBe(4)
    expect((await person.signIn('/auth/test')).status).toBe(302)
    expect(await isIn(person)).toBe(true)
  })
})

describe('an id_token that does not hold', () => {
  const now = () => Math.floor(Date.now() / 1000)

  test.each<[string, Record<string, unknown>]>([
    ['without nonce', { nonce: undefined }],
    ['of another attempt', { nonce: 'x' }],
    ['for another client', { aud: 'other' }],
    ['of another issuer', { iss: 'https://evil.test' }],
    ['that is long over', { exp: now() - 120 }],
    ['without end', { exp: undefined }],
    ['with its end as text', { exp: `${now() + 60}` }],
    ['with an end beyond all bounds', { exp: 1e20 }],
  ])('%s signs nobody in', async (_, claims) => {
    const { person, response, html } = await arrive(claims)
    await expectRefused({ person, response })
    expect(html).toContain('does not prove who you are')
    expect(html).toContain('prompt=select_account')
  })

  test.each(['none', 'None'])('with alg %s signs nobody in', async alg => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    provider.idToken = claims => `${part({ alg })}.${part(claims)}.`
    await expectRefused(await arrive({}))
  })

  test('that ended twenty seconds ago is within the leeway', async () => {
    expect((await arrive({ iat: now() - 60, exp: now() - 20 })).response.status).toBe(302)
  })
})

describe('a provider that fails', () => {
  test.each<[string, 502 | 503, () => Response | Promise<Response>]>([
    ['with 500', 502, () => new Response('upstream words', { status: 500 })],
    ['with 418', 502, () => new Response('upstream words', { status: 418 })],
    ['with nothing', 502, () => new Response(null, { status: 204 })],
    ['with a redirect', 502, () => Response.redirect('http://127.0.0.1:1/upstream', 302)],
    [
      'with a page',
      502,
      () => new Response('<html>upstream words', { headers: { 'content-type': 'text/html' } }),
    ],
    ['with broken JSON', 502, () => new Response('{"upstream words')],
    ['with no end', 502, endless],
    ['by falling silent', 503, silence],
  ])(
    '%s at the token endpoint is a page of ours within ten seconds',
    async (_, status, fault) => {
      provider.faults.token = fault
      const began = performance.now()
      const { person, response, html } = await arrive({})
      expect(performance.now() - began).toBeLessThan(10_000)
      expect([response.status, response.headers.get('content-type')]).toEqual([
        status,
        'text/html; charset=utf-8',
      ])
      expect(html).toContain('Signing in does not work right now')
      expect(html).not.toContain('upstream')
      expect([...person.cookies]).toEqual([])
    },
    20_000,
  )

  test('to know us tells the operator, not the person', async () => {
    provider.faults.token = () => Response.json({ error: 'invalid_client' }, { status: 401 })
    const { response, html } = await arrive({})
    expect(response.status).toBe(502)
    expect(html).not.toMatch(/client|secret/i)
    expect(app.logs.findLast(({ message }) => message.includes('provider'))).toMatchObject({
      level: 'warn',
      reason: expect.stringContaining('invalid_client'),
      mend: expect.stringContaining('OAUTH_CLIENT_SECRET'),
    })
  })

  test('to be there is a page of ours', async () => {
    const alone = await testApp({ env: { OAUTH_ISSUER: 'http://127.0.0.1:1' } })
    const response = await alone.anonymous('/auth/test?return_to=/sections/usb-port')
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5'])
    expect(await response.text()).toContain('href="/auth/test?return_to=%2Fsections%2Fusb-port"')
    expect((await alone.anonymous('/login')).status).toBe(200)
    await alone.stop()
  })

  test('can be had again with a new attempt', async () => {
    provider.faults.token = () => new Response(null, { status: 500 })
    const { person } = await arrive({})
    provider.faults = {}
    expect((await person.signIn('/auth/test')).status).toBe(302)
  })
})

describe('return_to', () => {
  test.each([
    'https://evil.test',
    '//evil',
    '///evil',
    '/\\evil',
    '\\\\evil',
    '/\t/evil',
    '/ /evil',
    '/\v/evil',
    '/\r\n/evil',
    '/./\\evil',
    '/..//evil',
    '/%2f%2fevil',
    '/%5cevil',
    '/%09/evil',
    'http:evil',
    'javascript:alert(1)',
    'data:,x',
    '/@evil',
    '/evil%E3%80%82test',
    '〱evil',
    '/auth/test',
    '/login',
    '/api/defects',
  ])('%j leads to the board', async path => {
    for (const raw of [
      encodeURIComponent(path),
      path.replaceAll(/[\r\n\t\v]/g, '').replaceAll('\\', '%5C'),
    ]) {
      const person = newBrowser()
      const response = await person.signIn(`/auth/test?return_to=${raw}`)
      expect([response.status, locationOf(response)]).toEqual([302, '/'])
      const html = await (await app.anonymous(`/login?return_to=${raw}`)).text()
      expect(html).toContain('href="/auth/test"')
    }
  })

  test('given twice leads to the board', async () => {
    const response = await newBrowser().signIn('/auth/test?return_to=/sections/a&return_to=//evil')
    expect(locationOf(response)).toBe('/')
  })
})

describe('/login', () => {
  test('is a page without scripts that leads to the provider', async () => {
    const response = await app.anonymous('/login')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-security-policy')).toContain("default-src 'self'")
    const html = await response.text()
    expect(html).toContain('<a class="button" href="/auth/test">Sign in with Test</a>')
    expect(html).not.toMatch(/<script(?! type="module" src)| style=| on\w+=/)
    expect(html).not.toContain('example.com')
  })

  test('is not needed by whom is signed in', async () => {
    const response = await app.as(ALICE)('/login')
    expect([response.status, locationOf(response)]).toEqual([302, '/'])
  })
})

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
    if (headers.get('origin') === 'OWN') headers.set('origin', app.origin)
    const response = await person.get('/auth/logout', { method: 'POST', ...init, headers })
    expect([response.status, locationOf(response)]).toEqual([303, '/login'])
    expect(person.cookies.has('faultline')).toBe(false)
    expect(await isIn(person)).toBe(false)
    expect(await userOf(person)).toBeNull()
  })

  test('works also when there is nothing to end', async () => {
    const response = await app.anonymous('/auth/logout', { method: 'POST' })
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
    expect(await (await app.anonymous('/api/session')).json()).toEqual({ user: null })
  })

  test('says who one is, until when, and to the owner what push needs', async () => {
    const answer = await (await app.as(ALICE)('/api/session')).json()
    expect(answer).toEqual({
      user: { email: ALICE, is_owner: false },
      expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    })
    expect(await (await app.as(OWNER)('/api/session')).json()).toMatchObject({
      user: { email: OWNER, is_owner: true },
      push: null,
    })
  })
})

describe('a session cookie', () => {
  const ask = (cookie: string) => app.anonymous('/api/defects', { headers: { cookie } })

  test('that is not one is no session and no fault', async () => {
    const good = (await app.cookie(ALICE)).slice('faultline='.length)
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
    const good = await app.cookie(ALICE)
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
    const there = await testApp({ env: { OAUTH_ISSUER: provider.issuer } })
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
  }, 60_000)

  test('on https is bound to the host and secure', async () => {
    const there = await testApp({
      env: { PUBLIC_URL: 'https://faultline.example.com', OAUTH_ISSUER: provider.issuer },
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

test('no token, secret or verifier gets out or into the log', async () => {
  const { person, response, html } = await arrive({})
  const verifier = provider.seen.find(({ endpoint }) => endpoint === 'token')?.form.get('code_verifier') ?? ''
  expect(verifier.length).toBe(43)
  const seen = [
    html,
    ...[...response.headers].flat(),
    ...person.cookies.values(),
    await (await person.get('/api/session')).text(),
    JSON.stringify(app.logs),
  ].join('\n')
  for (const secret of [verifier, 'client-secret', 'the-access-token', 'the-refresh-token', 'eyJhbGciOi']) {
    expect(seen).not.toContain(secret)
  }
})
