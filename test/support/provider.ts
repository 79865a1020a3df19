import { createHash } from 'node:crypto'
import { exportJWK, generateKeyPair, type JWTHeaderParameters, SignJWT } from 'jose'

export type Endpoint = 'discovery' | 'authorize' | 'token' | 'keys'
export type Claims = Record<string, unknown>

export interface Seen {
  endpoint: Endpoint
  query: URLSearchParams
  form: URLSearchParams
  headers: Headers
}

type SigningKey = Awaited<ReturnType<typeof newKey>>

/**
 * An OpenID provider that does as the test says: claim by claim, and fault by fault.
 * What is undefined in `claims` is left out of the id_token.
 */
export interface TestProvider {
  readonly issuer: string
  /** over what an honest provider would say */
  claims: Claims
  header: Partial<JWTHeaderParameters>
  /** in place of the signed token */
  idToken: ((claims: Claims, key: SigningKey) => string | Promise<string>) | undefined
  /** in place of an endpoint's honest answer */
  faults: Partial<Record<Endpoint, (request: Request) => Response | Promise<Response>>>
  /** over what the discovery document says */
  description: Record<string, unknown>
  /** over what the callback is called with; undefined leaves it out */
  answer: Record<string, string | undefined>
  seen: Seen[]
  count(endpoint: Endpoint): number
  /** Signs with a new key from now on; the old one is gone. */
  rotate(): Promise<void>
  key: SigningKey
  /** Honest again, nothing seen. */
  reset(): void
  stop(): Promise<void>
}

export async function newKey(alg = 'RS256') {
  const { publicKey, privateKey } = await generateKeyPair(alg)
  const kid = crypto.randomUUID()
  return { alg, kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } }
}

export const HONEST_CLIENT = { clientId: 'faultline', clientSecret: 'client-secret' }

export async function startTestProvider(client = HONEST_CLIENT): Promise<TestProvider> {
  const codes = new Map<
    string,
    { nonce: string | null; challenge: string | null; redirectUri: string | null }
  >()

  const endpoints: Record<Endpoint, (seen: Seen) => Response | Promise<Response>> = {
    discovery: () =>
      Response.json({
        issuer: provider.issuer,
        authorization_endpoint: `${provider.issuer}/authorize`,
        token_endpoint: `${provider.issuer}/token`,
        jwks_uri: `${provider.issuer}/keys`,
        ...provider.description,
      }),
    authorize({ query }) {
      const code = crypto.randomUUID()
      codes.set(code, {
        nonce: query.get('nonce'),
        challenge: query.get('code_challenge'),
        redirectUri: query.get('redirect_uri'),
      })
      const url = new URL(query.get('redirect_uri') ?? '')
      const answer = { code, state: query.get('state') ?? undefined, ...provider.answer }
      for (const [name, value] of Object.entries(answer))
        if (value !== undefined) url.searchParams.set(name, value)
      return Response.redirect(url.href, 302)
    },
    async token({ form, headers }) {
      if (headers.get('authorization') !== `Basic ${btoa(`${client.clientId}:${client.clientSecret}`)}`) {
        return Response.json({ error: 'invalid_client' }, { status: 401 })
      }
      const code = codes.get(form.get('code') ?? '')
      codes.delete(form.get('code') ?? '')
      const challenge = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url')
      if (code?.challenge !== challenge || code.redirectUri !== form.get('redirect_uri')) {
        return Response.json({ error: 'invalid_grant' }, { status: 400 })
      }
      const id_token = await signed(code.nonce)
      return Response.json({
        token_type: 'Bearer',
        access_token: 'the-access-token',
        refresh_token: 'the-refresh-token',
        id_token,
      })
    },
    keys: () => Response.json({ keys: [provider.key.jwk] }),
  }

  async function signed(nonce: string | null): Promise<string> {
    const now = Math.floor(Date.now() / 1000)
    const claims: Claims = {
      iss: provider.issuer,
      aud: client.clientId,
      sub: 'somebody',
      iat: now,
      exp: now + 300,
      nonce,
      email: 'alice@example.com',
      email_verified: true,
      ...provider.claims,
    }
    const { key } = provider
    if (provider.idToken) return provider.idToken(claims, key)
    return new SignJWT(claims)
      .setProtectedHeader({ alg: key.alg, kid: key.kid, ...provider.header })
      .sign(key.privateKey)
  }

  const paths: Record<string, Endpoint> = {
    '/.well-known/openid-configuration': 'discovery',
    '/authorize': 'authorize',
    '/token': 'token',
    '/keys': 'keys',
  }
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 60,
    async fetch(request) {
      const { pathname, searchParams } = new URL(request.url)
      const endpoint = paths[pathname]
      if (!endpoint) return new Response(null, { status: 404 })
      const form = new URLSearchParams(request.method === 'POST' ? await request.text() : '')
      const seen = { endpoint, query: searchParams, form, headers: request.headers }
      provider.seen.push(seen)
      return (await provider.faults[endpoint]?.(request)) ?? endpoints[endpoint](seen)
    },
  })

  const honest = () => ({
    claims: {} as Claims,
    header: {},
    idToken: undefined,
    faults: {},
    description: {},
    answer: {},
    seen: [] as Seen[],
  })
  const provider: TestProvider = {
    issuer: `http://127.0.0.1:${server.port}`,
    ...honest(),
    key: await newKey(),
    count: endpoint => provider.seen.filter(seen => seen.endpoint === endpoint).length,
    async rotate() {
      provider.key = await newKey()
    },
    reset() {
      Object.assign(provider, honest())
    },
    stop: () => server.stop(true),
  }
  return provider
}

/** An answer that never ends, and one that never begins. */
export const endless = () =>
  new Response(new ReadableStream({ pull: stream => stream.enqueue(new Uint8Array(65_536).fill(0x20)) }))
export const silence = () => new Promise<Response>(() => {})
