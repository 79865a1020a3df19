import { describe, expect, test } from 'bun:test'
import { noAddresses, outsideAddresses } from '../support/addresses.ts'
import { ALICE, OWNER, testApp } from '../support/app.ts'
import { browser, locationOf } from '../support/browser.ts'
import { startCertifiedProvider } from '../support/certified-provider.ts'
import { besideProvider, expectRefused, isIn, userOf } from '../support/sign-in.ts'
import { until } from '../support/until.ts'

const here = besideProvider()
const { arrive, newBrowser } = here

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
    expect(locationOf(await person.signIn(start.replaceAll('&amp;', '&')))).toBe('/sections/usb-port')
  })

  test('walks back to a page whose query is long, and leaves no cookie but the session', async () => {
    const page = `/?days=30d&q=${'%C3%A9'.repeat(680)}abc`
    expect(page.length).toBe(4_096)
    const person = newBrowser()
    const login = locationOf(await person.get(page))
    const html = await (await person.get(login)).text()
    const [, start = ''] = /href="(\/auth\/test[^"]*)"/.exec(html) ?? []
    expect(locationOf(await person.signIn(start.replaceAll('&amp;', '&')))).toBe(page)
    expect([...person.cookies.keys()]).toEqual(['faultline'])
    expect(await isIn(person)).toBe(true)
  })

  test('begins with a redirect and a short-lived cookie of its own', async () => {
    const response = await here.app.anonymous('/auth/test')
    expect(response.status).toBe(302)
    const url = new URL(locationOf(response))
    expect(url.searchParams.get('redirect_uri')).toBe(`${here.app.origin}/auth/test/callback`)
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
    const response = await here.app.anonymous('/auth/test', { headers })
    if (response.status !== 302) return expect([302, 400]).toContain(response.status)
    const to = new URL(locationOf(response))
    if (to.origin === here.provider.issuer) {
      expect(to.searchParams.get('redirect_uri')).toBe(`${here.app.origin}/auth/test/callback`)
    } else {
      expect(to.origin).toBe(here.app.origin)
    }
  })

  test('lets people choose another account', async () => {
    const to = new URL(locationOf(await here.app.anonymous('/auth/test?prompt=select_account')))
    expect(to.searchParams.get('prompt')).toBe('select_account')
    expect(new URL(locationOf(await here.app.anonymous('/auth/test'))).searchParams.has('prompt')).toBe(false)
  })

  test('with the owner’s address makes the owner', async () => {
    const { person } = await arrive({ email: 'Owner@Example.com' })
    expect(await userOf(person)).toEqual({ email: OWNER, is_owner: true })
  })

  test('works against a certified provider', async () => {
    const certified = await startCertifiedProvider(`${here.app.origin}/auth/test/callback`)
    const there = await testApp({
      env: { PUBLIC_URL: here.app.origin, OAUTH_ISSUER: certified.issuer, OAUTH_PROVIDER: 'test' },
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
    here.provider.description = { userinfo_endpoint: `${here.provider.issuer}/userinfo` }
    await expectRefused(await arrive({ email: 'mallory@evil.test' }))
    expect(
      here.provider.seen.every(({ endpoint }) =>
        ['discovery', 'authorize', 'token', 'keys'].includes(endpoint),
      ),
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
    const told = () => here.app.logs.findLast(({ reason }) => reason === 'verification_missing')
    await until(() => told() !== undefined, 'the operator is told')
    expect(told()).toMatchObject({ level: 'warn', fix: expect.stringContaining('email_verified') })
  })

  test('does not end the session that one has', async () => {
    const { person } = await arrive({})
    here.provider.claims = { email: 'x@gmail.com' }
    expect((await person.signIn('/auth/test')).status).toBe(403)
    expect(await userOf(person)).toMatchObject({ email: ALICE })
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
      const html = await (await here.app.anonymous(`/login?return_to=${raw}`)).text()
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
    const response = await here.app.anonymous('/login')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-security-policy')).toContain("default-src 'self'")
    const html = await response.text()
    expect(html).toContain('<a class="button" href="/auth/test">Sign in with Test</a>')
    expect(html).not.toMatch(/<script(?! type="module" src)| style=| on\w+=/)
    expect(html).not.toContain('example.com')
  })

  test('is not needed by whom is signed in', async () => {
    const response = await here.app.as(ALICE)('/login')
    expect([response.status, locationOf(response)]).toEqual([302, '/'])
  })
})

test('no token, secret or verifier gets out or into the log', async () => {
  const { person, response, html } = await arrive({})
  const verifier =
    here.provider.seen.find(({ endpoint }) => endpoint === 'token')?.form.get('code_verifier') ?? ''
  expect(verifier.length).toBe(43)
  const seen = [
    html,
    ...[...response.headers].flat(),
    ...person.cookies.values(),
    await (await person.get('/api/session')).text(),
    JSON.stringify(here.app.logs),
  ].join('\n')
  for (const secret of [verifier, 'client-secret', 'the-access-token', 'the-refresh-token', 'eyJhbGciOi']) {
    expect(seen).not.toContain(secret)
  }
})
