import { afterEach, describe, expect, setSystemTime, test } from 'bun:test'
import { SignJWT } from 'jose'
import { AttemptEnded, IdentityUnproven, ProviderFault } from '../../server/auth/fault.ts'
import { createOidc, TOTAL_MS } from '../../server/auth/oidc.ts'
import { testConfig } from '../support/config.ts'
import { failureOf, wish, withProvider } from '../support/oidc.ts'
import { endless, newKey, silence } from '../support/provider.ts'

const here = withProvider()
const { signIn } = here

describe('the way to the provider', () => {
  test('asks for a code with PKCE, state and nonce of 256 bits, at the configured redirect URI', async () => {
    const { location, attempt } = await createOidc(here.config).start(wish)
    const url = new URL(location)
    expect(url.origin + url.pathname).toBe(`${here.provider.issuer}/authorize`)
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
    const { location } = await createOidc(here.config).start({ ...wish, chooseAccount: true })
    expect(new URL(location).searchParams.get('prompt')).toBe('select_account')
  })

  test('keeps what the authorization endpoint already asks for', async () => {
    here.provider.description = { authorization_endpoint: `${here.provider.issuer}/authorize?tenant=one` }
    const { location } = await createOidc(here.config).start(wish)
    expect(location).toStartWith(`${here.provider.issuer}/authorize?tenant=one&`)
  })

  test('is asked for once, by all who begin at the same time', async () => {
    const oidc = createOidc(here.config)
    await Promise.all(Array.from({ length: 20 }, () => oidc.start(wish)))
    expect(here.provider.count('discovery')).toBe(1)
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
    here.provider.description =
      description.issuer === 'slash' ? { issuer: `${here.provider.issuer}/` } : description
    expect(await failureOf(createOidc(here.config).start(wish))).toMatchObject({
      kind: ProviderFault,
      status: 502,
    })
  })

  test('by a redirect is not followed', async () => {
    here.provider.faults.discovery = () => Response.redirect(`${here.provider.issuer}/keys`, 302)
    expect(await failureOf(createOidc(here.config).start(wish))).toMatchObject({
      kind: ProviderFault,
      status: 502,
    })
    expect(here.provider.count('keys')).toBe(0)
  })

  test('is asked again only after a pause', async () => {
    let now = Date.now()
    const oidc = createOidc(here.config, () => now)
    here.provider.faults.discovery = () => new Response('down', { status: 500 })
    for (let times = 0; times < 5; times++) {
      expect(await failureOf(oidc.start(wish))).toMatchObject({ kind: ProviderFault, status: 502 })
    }
    expect(here.provider.count('discovery')).toBe(1)
    here.provider.faults = {}
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
    here.provider.claims = { hd: 'evil.test', name: 'Alice' }
    expect(await signIn()).toEqual({ email: 'alice@example.com', email_verified: true })
  })

  test('sends the code, the verifier and the redirect URI, each once', async () => {
    await signIn()
    const { form, headers } = here.provider.seen.find(({ endpoint }) => endpoint === 'token')!
    expect([...form.keys()].sort()).toEqual(['code', 'code_verifier', 'grant_type', 'redirect_uri'])
    expect(form.get('grant_type')).toBe('authorization_code')
    expect(headers.get('authorization')).toBe(`Basic ${btoa('faultline:client-secret')}`)
  })

  test('encodes client credentials as the standard says', async () => {
    const odd = testConfig({
      OAUTH_ISSUER: here.provider.issuer,
      OAUTH_CLIENT_ID: 'a:b',
      OAUTH_CLIENT_SECRET: 'é +%',
    })
    expect(await failureOf(signIn(createOidc(odd)))).toMatchObject({ kind: ProviderFault })
    const { headers } = here.provider.seen.find(({ endpoint }) => endpoint === 'token')!
    expect(atob(headers.get('authorization')!.slice(6))).toBe('a%3Ab:%C3%A9+%2B%25')
  })

  test('puts the secret into the form where the provider takes it only there', async () => {
    here.provider.description = { token_endpoint_auth_methods_supported: ['client_secret_post'] }
    await failureOf(signIn())
    const { form, headers } = here.provider.seen.find(({ endpoint }) => endpoint === 'token')!
    expect(headers.get('authorization')).toBeNull()
    expect(form.get('client_secret')).toBe('client-secret')
  })

  test('cannot be widened by what stands in the code', async () => {
    const oidc = createOidc(here.config)
    const { attempt } = await oidc.start(wish)
    const code = 'x&grant_type=client_credentials&code=y'
    expect(await failureOf(oidc.finish(attempt, { code }))).toMatchObject({ kind: AttemptEnded })
    const { form } = here.provider.seen.find(({ endpoint }) => endpoint === 'token')!
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
    here.provider.faults.token = fault
    expect(await failureOf(signIn())).toMatchObject({ kind: ProviderFault, status })
  })

  test('answered by silence ends within ten seconds', async () => {
    here.provider.faults.token = silence
    expect(await failureOf(signIn())).toMatchObject({ kind: ProviderFault, status: 503 })
    expect(TOTAL_MS).toBeLessThan(10_000)
  })

  test.each([
    ['that names another issuer', { iss: 'https://evil.test' }, {}],
    ['that names none though it was promised', {}, { authorization_response_iss_parameter_supported: true }],
  ])('is not tried for an answer %s', async (_, answer, description) => {
    Object.assign(here.provider, { answer, description })
    expect(await failureOf(signIn())).toMatchObject({ kind: AttemptEnded })
    expect(here.provider.count('token')).toBe(0)
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
    const oidc = createOidc(here.config)
    for (let times = 0; times < 5; times++) await signIn(oidc)
    expect(here.provider.count('keys')).toBe(1)
  })

  test('are not asked for again by fifty unknown key ids', async () => {
    const oidc = createOidc(here.config)
    await signIn(oidc)
    const at = later(31_000)
    here.provider.idToken = (claims, { privateKey }) =>
      new SignJWT({ ...claims, iat: at / 1000, exp: at / 1000 + 60 })
        .setProtectedHeader({ alg: 'RS256', kid: crypto.randomUUID() })
        .sign(privateKey)
    for (let times = 0; times < 50; times++) {
      expect(await failureOf(signIn(oidc))).toMatchObject({ kind: IdentityUnproven })
    }
    expect(here.provider.count('keys')).toBe(2)
  })

  test('are fetched again when the provider has changed them', async () => {
    const oidc = createOidc(here.config)
    await signIn(oidc)
    await here.provider.rotate()
    const at = later(30_000)
    here.provider.claims = { iat: Math.floor(at / 1000), exp: Math.floor(at / 1000) + 60 }
    expect(await signIn(oidc)).toMatchObject({ email: 'alice@example.com' })
    expect(here.provider.count('keys')).toBe(2)
  })

  test('may be several of one id, or without any id', async () => {
    const others = [await newKey(), await newKey()]
    here.provider.faults.keys = () =>
      Response.json({ keys: [...others, here.provider.key].map(({ jwk }) => ({ ...jwk, kid: undefined })) })
    here.provider.header = { kid: undefined }
    expect(await signIn()).toMatchObject({ email: 'alice@example.com' })
    here.provider.faults.keys = () =>
      Response.json({ keys: others.map(({ jwk }) => ({ ...jwk, kid: undefined })) })
    expect(await failureOf(signIn())).toMatchObject({ kind: IdentityUnproven })
  })

  test.each<[string, 502 | 503, () => Response]>([
    ['a failure', 502, () => new Response('no', { status: 500 })],
    ['a page', 502, () => new Response('<html>')],
    ['no set', 502, () => Response.json({ keys: 'none' })],
    ['an endless body', 502, endless],
  ])('answered by %s are a fault of the provider', async (_, status, fault) => {
    here.provider.faults.keys = fault
    expect(await failureOf(signIn())).toMatchObject({ kind: ProviderFault, status })
  })

  test('known ones go on to hold while new ones cannot be fetched', async () => {
    const oidc = createOidc(here.config)
    await signIn(oidc)
    const at = later(31_000)
    here.provider.claims = { iat: Math.floor(at / 1000), exp: Math.floor(at / 1000) + 60 }
    here.provider.faults.keys = () => new Response('no', { status: 500 })
    here.provider.header = { kid: 'unknown' }
    expect(await failureOf(signIn(oidc))).toMatchObject({ kind: ProviderFault, status: 502 })
    here.provider.header = {}
    expect(await failureOf(signIn(oidc))).toMatchObject({ kind: 'success' })
  })
})
