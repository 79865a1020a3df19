import { describe, expect, test } from 'bun:test'
import { ALICE, OWNER, testApp } from '../support/app.ts'
import { endless, silence } from '../support/provider.ts'
import { besideProvider, expectOver, expectRefused, isIn, userOf } from '../support/sign-in.ts'
import { until } from '../support/until.ts'

const here = besideProvider()
const { arrive, newBrowser } = here

describe('the callback', () => {
  test('does nothing for a browser that began nothing', async () => {
    const callback = await newBrowser().begin('/auth/test')
    const other = newBrowser()
    await expectOver(other, await other.get(callback))
    expect(here.provider.count('token')).toBe(0)
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
    expect(here.provider.count('token')).toBe(0)
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
    expect(here.provider.count('token')).toBe(1)
    expect(await isIn(person)).toBe(true)
  })

  test('does not change who is signed in when somebody else began it', async () => {
    const { person: alice } = await arrive({})
    here.provider.claims = { email: 'mallory@example.com' }
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
      expect(here.provider.count('token')).toBe(0)
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
    expect(here.provider.count('token')).toBe(0)
  })

  test('is over when a session stands in for the attempt', async () => {
    const person = newBrowser()
    const callback = await person.begin('/auth/test')
    const session = (await here.app.cookie(OWNER)).split('=').slice(1).join('=')
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
    expect(here.provider.count('token')).toBe(0)
  })

  test('passes an odd code on as one parameter', async () => {
    const person = newBrowser()
    const callback = await person.begin('/auth/test')
    const code = 'x&grant_type=client_credentials'
    await expectOver(
      person,
      await person.get(callback.replace(/code=[^&]+/, `code=${encodeURIComponent(code)}`)),
    )
    const { form } = here.provider.seen.find(({ endpoint }) => endpoint === 'token')!
    expect([form.getAll('code'), form.getAll('grant_type')]).toEqual([[code], ['authorization_code']])
  })

  test('says so when the person cancelled, and asks for no token', async () => {
    here.provider.answer = { error: 'access_denied', code: undefined }
    const person = newBrowser()
    const callback = await person.begin('/auth/test?return_to=/sections/usb-port')
    const response = await person.get(callback)
    expect(response.status).toBe(403)
    expect(await response.text()).toContain('href="/auth/test?return_to=%2Fsections%2Fusb-port"')
    expect([...person.cookies]).toEqual([])
    await expectOver(person, await person.get(callback))
    expect(here.provider.count('token')).toBe(0)
  })

  test('believes no error without the state', async () => {
    const person = newBrowser()
    await person.begin('/auth/test')
    await expectOver(person, await person.get('/auth/test/callback?error=access_denied'))
  })

  test.each([
    ['server_error', 502],
    ['temporarily_unavailable', 503],
    ['invalid_scope', 502],
    ['no_error_of_any_standard', 403],
    ['<script>alert(1)</script>', 403],
    ['', 403],
  ])('answers the error %s in its own words', async (error, status) => {
    here.provider.answer = { error, error_description: '<b>their words</b>', code: undefined }
    const person = newBrowser()
    const response = await person.signIn('/auth/test')
    expect([response.status, response.headers.get('content-type')]).toEqual([
      status,
      'text/html; charset=utf-8',
    ])
    const html = await response.text()
    expect(html).not.toMatch(/<script>|their words/)
    expect(html).toContain('href="/auth/test"')
    expect([...person.cookies]).toEqual([])
  })

  test.each(['HEAD', 'POST', 'PUT', 'OPTIONS'])('%s is refused and burns no code', async method => {
    const person = newBrowser()
    const callback = await person.begin('/auth/test')
    const response = await person.get(callback, { method })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET'])
    expect(here.provider.count('token')).toBe(0)
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
    expect(here.provider.count('token')).toBe(0)
    const { person: signedIn } = await arrive({})
    expect((await signedIn.get('/auth/nope/callback')).status).toBe(404)
  })

  test('of an answer that names another issuer is over', async () => {
    here.provider.answer = { iss: 'https://evil.test' }
    const person = newBrowser()
    await expectOver(person, await person.signIn('/auth/test'))
    expect(here.provider.count('token')).toBe(0)
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
    here.provider.idToken = claims => `${part({ alg })}.${part(claims)}.`
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
  ])('%s at the token endpoint is a page of ours', async (_, status, fault) => {
    here.provider.faults.token = fault
    const { person, response, html } = await arrive({})
    expect([response.status, response.headers.get('content-type')]).toEqual([
      status,
      'text/html; charset=utf-8',
    ])
    expect(html).toContain('Signing in does not work right now')
    expect(html).not.toContain('upstream')
    expect([...person.cookies]).toEqual([])
  })

  test('to know us tells the operator, not the person', async () => {
    here.provider.faults.token = () => Response.json({ error: 'invalid_client' }, { status: 401 })
    const { response, html } = await arrive({})
    expect(response.status).toBe(502)
    expect(html).not.toMatch(/client|secret/i)
    const told = () => here.app.logs.findLast(({ reason }) => String(reason).includes('invalid_client'))
    await until(() => told() !== undefined, 'the operator is told')
    expect(told()).toMatchObject({
      level: 'warn',
      fix: expect.stringContaining('OAUTH_CLIENT_SECRET'),
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
    here.provider.faults.token = () => new Response(null, { status: 500 })
    const { person } = await arrive({})
    here.provider.faults = {}
    expect((await person.signIn('/auth/test')).status).toBe(302)
  })
})
