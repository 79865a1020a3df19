import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, setSystemTime, test } from 'bun:test'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { AttemptEnded, IdentityUnproven, ProviderFault } from '../../server/auth/fault.ts'
import { createOidc, type Oidc, TOTAL_MS } from '../../server/auth/oidc.ts'
import type { Config } from '../../server/config/read.ts'
import { locationOf } from '../support/browser.ts'
import { testConfig } from '../support/config.ts'
import { endless, newKey, silence, startTestProvider, type TestProvider } from '../support/provider.ts'

let provider: TestProvider
let config: Config

beforeAll(async () => {
  provider = await startTestProvider()
  config = testConfig({ OAUTH_ISSUER: provider.issuer })
})
beforeEach(() => provider.reset())
afterAll(() => provider.stop())

const wish = { returnTo: '/', chooseAccount: false }

async function signIn(oidc: Oidc = createOidc(config)) {
  const { location, attempt } = await oidc.start(wish)
  const answer = new URL(locationOf(await fetch(location, { redirect: 'manual' }))).searchParams
  return oidc.finish(attempt, { code: answer.get('code') ?? '', iss: answer.get('iss') ?? undefined })
}

const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    value => ({ kind: 'success', value }),
    error => ({ kind: error.constructor, message: error.message as string, status: error.status as unknown }),
  )

describe('the way to the provider', () => {
  test('asks for a code with PKCE, state and nonce of 256 bits, at the configured redirect URI', async () => {
    const { location, attempt } = await createOidc(config).start(wish)
    const url = new URL(location)
    expect(url.origin + url.pathname).toBe(`${provider.issuer}/authorize`)
    expect(Object.fromEntries(url.searchParams)).toEqual({
      response_type: 'code',
      client_id: 'faultline',
      redirect_uri: 'https://faultline.example.com/auth/test/callback',
      scope: 'openid email',
      state: attempt.state,
      nonce: attempt.nonce,
      code_challenge_method: 'S256',
      code_challenge: new Bun.CryptoHasher('sha256').update(attempt.verifier).digest('base64url'),
    })
    for (const secret of [attempt.state, attempt.nonce, attempt.verifier]) {
      expect(Buffer.from(secret, 'base64url').byteLength).toBe(32)
    }
    expect(location).not.toContain(attempt.verifier)
  })

  test('lets people choose an account when they asked for it', async () => {
    const { location } = await createOidc(config).start({ ...wish, chooseAccount: true })
    expect(new URL(location).searchParams.get('prompt')).toBe('select_account')
  })

  test('keeps what the authorization endpoint already asks for', async () => {
    provider.description = { authorization_endpoint: `${provider.issuer}/authorize?tenant=one` }
    const { location } = await createOidc(config).start(wish)
    expect(location).toStartWith(`${provider.issuer}/authorize?tenant=one&`)
  })

  test('is asked for once, by all who begin at the same time', async () => {
    const oidc = createOidc(config)
    await Promise.all(Array.from({ length: 20 }, () => oidc.start(wish)))
    expect(provider.count('discovery')).toBe(1)
  })
})

describe('a provider that describes itself badly', () => {
  test.each<[string, Record<string, unknown>]>([
    ['as another issuer', { issuer: 'https://evil.test' }],
    ['with a slash too many', { issuer: 'slash' }],
    ['without a token endpoint', { token_endpoint: undefined }],
    ['with an endpoint that is no text', { jwks_uri: 42 }],
    ['with a plain http endpoint elsewhere', { token_endpoint: 'http://192.0.2.1/token' }],
    ['with an endpoint that is no address', { authorization_endpoint: 'javascript:alert(1)' }],
  ])('%s is a fault of its own', async (_, description) => {
    provider.description = description.issuer === 'slash' ? { issuer: `${provider.issuer}/` } : description
    expect(await failureOf(createOidc(config).start(wish))).toMatchObject({
      kind: ProviderFault,
      status: 502,
    })
  })

  test('by a redirect is not followed', async () => {
    provider.faults.discovery = () => Response.redirect(`${provider.issuer}/keys`, 302)
    expect(await failureOf(createOidc(config).start(wish))).toMatchObject({
      kind: ProviderFault,
      status: 502,
    })
    expect(provider.count('keys')).toBe(0)
  })

  test('is asked again only after a pause', async () => {
    let now = Date.now()
    const oidc = createOidc(config, () => now)
    provider.faults.discovery = () => new Response('down', { status: 500 })
    for (let times = 0; times < 5; times++) {
      expect(await failureOf(oidc.start(wish))).toMatchObject({ kind: ProviderFault, status: 502 })
    }
    expect(provider.count('discovery')).toBe(1)
    provider.faults = {}
    now += 5_000
    expect(await failureOf(oidc.start(wish))).toMatchObject({ kind: 'success' })
  })

  test('is told apart from one that cannot be reached', async () => {
    const nobody = createOidc(testConfig({ OAUTH_ISSUER: 'http://127.0.0.1:1' }))
    expect(await failureOf(nobody.start(wish))).toMatchObject({ kind: ProviderFault, status: 503 })
  })
})

describe('the exchange of the code', () => {
  test('gives the claims of the id_token and nothing else', async () => {
    provider.claims = { hd: 'evil.test', name: 'Alice' }
    expect(await signIn()).toEqual({ email: 'alice@example.com', email_verified: true })
  })

  test('sends the code, the verifier and the redirect URI, each once', async () => {
    await signIn()
    const { form, headers } = provider.seen.find(({ endpoint }) => endpoint === 'token')!
    expect([...form.keys()].sort()).toEqual(['code', 'code_verifier', 'grant_type', 'redirect_uri'])
    expect(form.get('grant_type')).toBe('authorization_code')
    expect(headers.get('authorization')).toBe(`Basic ${btoa('faultline:client-secret')}`)
  })

  test('encodes client credentials as the standard says', async () => {
    const odd = testConfig({
      OAUTH_ISSUER: provider.issuer,
      OAUTH_CLIENT_ID: 'a:b',
      OAUTH_CLIENT_SECRET: 'é +%',
    })
    expect(await failureOf(signIn(createOidc(odd)))).toMatchObject({ kind: ProviderFault })
    const { headers } = provider.seen.find(({ endpoint }) => endpoint === 'token')!
    expect(atob(headers.get('authorization')!.slice(6))).toBe('a%3Ab:%C3%A9+%2B%25')
  })

  test('puts the secret into the form where the provider takes it only there', async () => {
    provider.description = { token_endpoint_auth_methods_supported: ['client_secret_post'] }
    await failureOf(signIn())
    const { form, headers } = provider.seen.find(({ endpoint }) => endpoint === 'token')!
    expect(headers.get('authorization')).toBeNull()
    expect(form.get('client_secret')).toBe('client-secret')
  })

  test('cannot be widened by what stands in the code', async () => {
    const oidc = createOidc(config)
    const { attempt } = await oidc.start(wish)
    const code = 'x&grant_type=client_credentials&code=y'
    expect(await failureOf(oidc.finish(attempt, { code }))).toMatchObject({ kind: AttemptEnded })
    const { form } = provider.seen.find(({ endpoint }) => endpoint === 'token')!
    expect(form.getAll('code')).toEqual([code])
    expect(form.getAll('grant_type')).toEqual(['authorization_code'])
  })

  test.each<[string, 502 | 503, () => Response | Promise<Response>]>([
    ['a failure', 502, () => new Response('no', { status: 500 })],
    ['a teapot', 502, () => new Response('no', { status: 418 })],
    ['nothing', 502, () => new Response(null, { status: 204 })],
    ['a redirect', 502, () => Response.redirect('http://127.0.0.1:1/', 302)],
    ['a page', 502, () => new Response('<html>', { headers: { 'content-type': 'text/html' } })],
    ['half an object', 502, () => new Response('{"id_token":')],
    ['a list', 502, () => Response.json(['id_token'])],
    ['no id_token', 502, () => Response.json({ access_token: 'x' })],
    ['an id_token that is no text', 502, () => Response.json({ id_token: {} })],
    ['bytes that are no UTF-8', 502, () => new Response(new Uint8Array([0x22, 0xff, 0x22]))],
    ['an endless body', 502, endless],
    ['an unknown refusal', 502, () => Response.json({ error: 'slow_down' }, { status: 400 })],
    ['a refusal of the client', 502, () => Response.json({ error: 'invalid_client' }, { status: 401 })],
  ])('answered by %s is a fault of the provider', async (_, status, fault) => {
    provider.faults.token = fault
    expect(await failureOf(signIn())).toMatchObject({ kind: ProviderFault, status })
  })

  test('answered by silence ends within ten seconds', async () => {
    provider.faults.token = silence
    expect(await failureOf(signIn())).toMatchObject({ kind: ProviderFault, status: 503 })
    expect(TOTAL_MS).toBeLessThan(10_000)
  })

  test.each([
    ['that names another issuer', { iss: 'https://evil.test' }, {}],
    ['that names none though it was promised', {}, { authorization_response_iss_parameter_supported: true }],
  ])('is not tried for an answer %s', async (_, answer, description) => {
    Object.assign(provider, { answer, description })
    expect(await failureOf(signIn())).toMatchObject({ kind: AttemptEnded })
    expect(provider.count('token')).toBe(0)
  })
})

describe('an id_token', () => {
  const now = () => Math.floor(Date.now() / 1000)

  test.each(['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA'])('signed with %s is taken', async alg => {
    const { key } = provider
    provider.key = await newKey(alg)
    expect(await signIn()).toEqual({ email: 'alice@example.com', email_verified: true })
    provider.key = key
  })

  test.each<[string, Record<string, unknown>]>([
    ['without a nonce', { nonce: undefined }],
    ['with the nonce of another attempt', { nonce: 'other' }],
    ['with a nonce that is no text', { nonce: ['other'] }],
    ['for another client', { aud: 'other' }],
    ['for nobody', { aud: undefined }],
    ['for a longer name', { aud: 'faultline2' }],
    ['for two, without saying to whom it was issued', { aud: ['faultline', 'other'] }],
    ['issued to another client', { azp: 'other' }],
    ['issued to another client, for both', { aud: ['faultline', 'other'], azp: 'other' }],
    ['of another issuer', { iss: 'https://evil.test' }],
    ['of no issuer', { iss: undefined }],
    ['without a subject', { sub: undefined }],
    ['that ended a minute ago', { exp: now() - 60, iat: now() - 120 }],
    ['without an end', { exp: undefined }],
    ['with its end as text', { exp: String(now() + 300) }],
    ['with an end beyond all bounds', { exp: 1e20 }],
    ['without a time of issue', { iat: undefined }],
    ['issued in the future', { iat: now() + 120 }],
    ['issued days ago', { iat: now() - 3 * 86_400 }],
    ['that is not valid yet', { nbf: now() + 120 }],
  ])('%s proves nothing', async (_, claims) => {
    provider.claims = claims
    expect(await failureOf(signIn())).toMatchObject({ kind: IdentityUnproven })
  })

  test('of an issuer with a slash, or in http, proves nothing', async () => {
    for (const iss of [`${provider.issuer}/`, provider.issuer.replace('http:', 'https:')]) {
      provider.claims = { iss }
      expect(await failureOf(signIn())).toMatchObject({ kind: IdentityUnproven })
    }
  })

  test('for two is taken when it was issued to us', async () => {
    provider.claims = { aud: ['other', 'faultline'], azp: 'faultline' }
    expect(await signIn()).toMatchObject({ email: 'alice@example.com' })
  })

  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

  test.each<[string, NonNullable<TestProvider['idToken']>]>([
    ['without a signature', claims => `${part({ alg: 'none' })}.${part(claims)}.`],
    ['with alg None', claims => `${part({ alg: 'None' })}.${part(claims)}.`],
    ['with an empty signature', (claims, { kid }) => `${part({ alg: 'RS256', kid })}.${part(claims)}.`],
    [
      'signed by another key under the same id',
      async (claims, { kid }) =>
        new SignJWT(claims)
          .setProtectedHeader({ alg: 'RS256', kid })
          .sign((await generateKeyPair('RS256')).privateKey),
    ],
    [
      'signed with the public key as a shared secret',
      (claims, { kid, jwk }) =>
        new SignJWT(claims)
          .setProtectedHeader({ alg: 'HS256', kid })
          .sign(new TextEncoder().encode(JSON.stringify(jwk))),
    ],
    [
      'signed with the client secret',
      claims =>
        new SignJWT(claims)
          .setProtectedHeader({ alg: 'HS256' })
          .sign(new TextEncoder().encode('client-secret'.padEnd(32, '0'))),
    ],
    [
      'that brings its own key',
      async claims => {
        const { privateKey, publicKey } = await generateKeyPair('RS256')
        const jwk = await exportJWK(publicKey)
        return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', jwk }).sign(privateKey)
      },
    ],
    ['of five parts', () => 'a.b.c.d.e'],
    ['that is empty', () => ''],
    ['that is a list', () => `${part({ alg: 'RS256' })}.${part([])}.x`],
  ])('%s proves nothing', async (_, idToken) => {
    provider.idToken = idToken
    expect(await failureOf(signIn())).toMatchObject({ kind: IdentityUnproven })
  })

  test('with the e-mail twice counts as it was verified: the last one', async () => {
    provider.idToken = async (claims, { privateKey, kid }) => {
      const twice = JSON.stringify(claims).replace('{', '{"email":"owner@example.com",')
      const { CompactSign } = await import('jose')
      return new CompactSign(new TextEncoder().encode(twice))
        .setProtectedHeader({ alg: 'RS256', kid })
        .sign(privateKey)
    }
    expect(await signIn()).toMatchObject({ email: 'alice@example.com' })
  })

  test('may be off by as much as clocks are: thirty seconds, not more', async () => {
    const ahead = (seconds: number) => createOidc(config, () => Date.now() + seconds * 1000)
    const short = () => {
      provider.claims = { exp: now() }
    }
    short()
    expect(await failureOf(signIn(ahead(20)))).toMatchObject({ kind: 'success' })
    short()
    expect(await failureOf(signIn(ahead(40)))).toMatchObject({
      kind: IdentityUnproven,
      message: expect.stringMatching(/^exp/),
    })
    provider.claims = {}
    expect(await failureOf(signIn(ahead(-20)))).toMatchObject({ kind: 'success' })
    expect(await failureOf(signIn(ahead(-40)))).toMatchObject({
      kind: IdentityUnproven,
      message: expect.stringMatching(/^iat/),
    })
  })

  test('never shows up in what is logged of it', async () => {
    provider.claims = { aud: 'other', email: 'secret-address@example.com' }
    const { message } = (await failureOf(signIn())) as { message: string }
    expect(message).toBe('aud: check_failed (ERR_JWT_CLAIM_VALIDATION_FAILED)')
  })
})

describe("the provider's keys", () => {
  afterEach(() => void setSystemTime())

  function later(ms: number): number {
    const at = Date.now() + ms
    setSystemTime(at)
    return at
  }

  test('are fetched once for many sign-ins', async () => {
    const oidc = createOidc(config)
    for (let times = 0; times < 5; times++) await signIn(oidc)
    expect(provider.count('keys')).toBe(1)
  })

  test('are not asked for again by fifty unknown key ids', async () => {
    const oidc = createOidc(config)
    await signIn(oidc)
    const at = later(31_000)
    provider.idToken = (claims, { privateKey }) =>
      new SignJWT({ ...claims, iat: at / 1000, exp: at / 1000 + 60 })
        .setProtectedHeader({ alg: 'RS256', kid: crypto.randomUUID() })
        .sign(privateKey)
    for (let times = 0; times < 50; times++) {
      expect(await failureOf(signIn(oidc))).toMatchObject({ kind: IdentityUnproven })
    }
    expect(provider.count('keys')).toBe(2)
  })

  test('are fetched again when the provider has changed them', async () => {
    const oidc = createOidc(config)
    await signIn(oidc)
    await provider.rotate()
    const at = later(30_000)
    provider.claims = { iat: Math.floor(at / 1000), exp: Math.floor(at / 1000) + 60 }
    expect(await signIn(oidc)).toMatchObject({ email: 'alice@example.com' })
    expect(provider.count('keys')).toBe(2)
  })

  test('may be several of one id, or without any id', async () => {
    const others = [await newKey(), await newKey()]
    provider.faults.keys = () =>
      Response.json({ keys: [...others, provider.key].map(({ jwk }) => ({ ...jwk, kid: undefined })) })
    provider.header = { kid: undefined }
    expect(await signIn()).toMatchObject({ email: 'alice@example.com' })
    provider.faults.keys = () =>
      Response.json({ keys: others.map(({ jwk }) => ({ ...jwk, kid: undefined })) })
    expect(await failureOf(signIn())).toMatchObject({ kind: IdentityUnproven })
  })

  test.each<[string, 502 | 503, () => Response]>([
    ['a failure', 502, () => new Response('no', { status: 500 })],
    ['a page', 502, () => new Response('<html>')],
    ['no set', 502, () => Response.json({ keys: 'none' })],
    ['an endless body', 502, endless],
  ])('answered by %s are a fault of the provider', async (_, status, fault) => {
    provider.faults.keys = fault
    expect(await failureOf(signIn())).toMatchObject({ kind: ProviderFault, status })
  })

  test('known ones go on to hold while new ones cannot be fetched', async () => {
    const oidc = createOidc(config)
    await signIn(oidc)
    const at = later(31_000)
    provider.claims = { iat: Math.floor(at / 1000), exp: Math.floor(at / 1000) + 60 }
    provider.faults.keys = () => new Response('no', { status: 500 })
    provider.header = { kid: 'unknown' }
    expect(await failureOf(signIn(oidc))).toMatchObject({ kind: ProviderFault, status: 502 })
    provider.header = {}
    expect(await failureOf(signIn(oidc))).toMatchObject({ kind: 'success' })
  })
})
