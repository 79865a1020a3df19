import { createHash, timingSafeEqual } from 'node:crypto'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { isLoopback } from '../loopback.ts'
import { type DemoPerson, demoPage, demoPeople, demoStyle, demoUnknownPage } from './pages.ts'

export interface DemoProviderOptions {
  allowedDomain: string
  clientId: string
  clientSecret: string
  redirectUri: string
}

interface Grant {
  person: DemoPerson
  challenge: string
  nonce: string | null
  expiresAt: number
}

const CODE_LIFETIME_MS = 60_000
const CODES_MOST = 1_000
const ID_TOKEN_LIFETIME_SECONDS = 300

/**
 * A small OpenID provider for `faultline demo`: it lets anyone sign in as whom they like. It listens
 * on loopback alone, serves one client whose redirect URI is on loopback too, and forgets all at its end.
 */
export async function startDemoProvider(options: DemoProviderOptions) {
  if (!isLoopback(new URL(options.redirectUri).hostname)) {
    throw new Error('the demo provider serves only a client on loopback')
  }
  const people = demoPeople(options.allowedDomain)
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const kid = crypto.randomUUID()
  const keys = { keys: [{ ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' }] }
  const grants = new Map<string, Grant>()

  /** What our own client asks in due form. */
  const asked = (answer: (query: URLSearchParams) => Response) => (request: Request) => {
    const query = new URL(request.url).searchParams
    const wrong = queryFault(query)
    if (wrong === 'client') return page(demoUnknownPage, 400)
    return wrong ? redirectBack(query, { error: wrong }) : answer(query)
  }

  function signIn(query: URLSearchParams): Response {
    const person = people.find(({ id }) => id === query.get('person'))
    return redirectBack(query, person ? { code: grant(person, query) } : { error: 'access_denied' })
  }

  function queryFault(query: URLSearchParams): 'client' | 'invalid_request' | undefined {
    const { clientId, redirectUri } = options
    if (query.get('client_id') !== clientId || query.get('redirect_uri') !== redirectUri) return 'client'
    const isCodeFlow = query.get('response_type') === 'code' && query.get('code_challenge_method') === 'S256'
    const isOpenId = query.get('scope')?.split(' ').includes('openid')
    return isCodeFlow && isOpenId && /^[\w-]{43}$/.test(query.get('code_challenge') ?? '')
      ? undefined
      : 'invalid_request'
  }

  function grant(person: DemoPerson, query: URLSearchParams): string {
    const [oldest] = grants.keys()
    if (grants.size >= CODES_MOST && oldest !== undefined) grants.delete(oldest)
    const code = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url')
    const challenge = query.get('code_challenge') ?? ''
    const expiresAt = Date.now() + CODE_LIFETIME_MS
    grants.set(code, { person, challenge, nonce: query.get('nonce'), expiresAt })
    return code
  }

  function redirectBack(query: URLSearchParams, answer: Record<string, string>): Response {
    const url = new URL(options.redirectUri)
    const state = query.get('state')
    const parameters = { ...answer, ...(state === null ? {} : { state }), iss: issuer }
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
    return new Response(null, { status: 302, headers: { location: url.href, 'cache-control': 'no-store' } })
  }

  async function token(request: Request): Promise<Response> {
    const form = new URLSearchParams(await request.text())
    if (!isClient(request, form)) return tokenError(401, 'invalid_client')
    if (form.get('grant_type') !== 'authorization_code') return tokenError(400, 'unsupported_grant_type')
    const code = form.get('code') ?? ''
    const granted = grants.get(code)
    grants.delete(code)
    const proven = granted && same(s256(form.get('code_verifier') ?? ''), granted.challenge)
    const inTime = granted && granted.expiresAt > Date.now()
    if (!proven || !inTime || form.get('redirect_uri') !== options.redirectUri) {
      return tokenError(400, 'invalid_grant')
    }
    const answer = { token_type: 'Bearer', access_token: crypto.randomUUID(), expires_in: 60 }
    return json({ ...answer, id_token: await idToken(granted) })
  }

  function isClient(request: Request, form: URLSearchParams): boolean {
    const [, encoded] = /^Basic ([\w+/=-]+)$/.exec(request.headers.get('authorization') ?? '') ?? []
    const basic = encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString().split(':')
    const [id, secret] = basic?.map(formDecoded) ?? [form.get('client_id'), form.get('client_secret')]
    return id === options.clientId && same(secret ?? '', options.clientSecret)
  }

  function idToken({ person, nonce }: Grant): Promise<string> {
    const { id, email, name } = person
    return new SignJWT({ email, email_verified: true, name, ...(nonce === null ? {} : { nonce }) })
      .setProtectedHeader({ alg: 'ES256', kid })
      .setIssuer(issuer)
      .setAudience(options.clientId)
      .setSubject(id)
      .setIssuedAt()
      .setExpirationTime(`${ID_TOKEN_LIFETIME_SECONDS}s`)
      .sign(privateKey)
  }

  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    reusePort: false,
    development: false,
    maxRequestBodySize: 16 * 1024,
    fetch(request) {
      const { host, pathname } = new URL(request.url)
      if (host !== new URL(issuer).host) return new Response(null, { status: 421 })
      const handler = handlers[`${request.method} ${pathname}`]
      return handler ? handler(request) : new Response(null, { status: 404 })
    },
    error: () => new Response(null, { status: 400 }),
  })
  const issuer = `http://127.0.0.1:${server.port}`
  const handlers: Record<string, (request: Request) => Response | Promise<Response>> = {
    'GET /.well-known/openid-configuration': () => json(discoveryDocument(issuer)),
    'GET /authorize': asked(query => page(demoPage(people, query))),
    'GET /continue': asked(signIn),
    'POST /token': token,
    'GET /keys': () => json(keys),
    'GET /favicon.ico': () => new Response(null, { status: 204 }),
    'GET /style.css': () => new Response(demoStyle, { headers: { 'content-type': 'text/css' } }),
  }
  return { issuer, stop: () => server.stop(true) }
}

function discoveryDocument(issuer: string) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    authorization_response_iss_parameter_supported: true,
  }
}

const noStore = { 'cache-control': 'no-store' }
const json = (value: object, status = 200) => Response.json(value, { status, headers: noStore })
const tokenError = (status: number, error: string) => json({ error }, status)

function page(html: string, status = 200): Response {
  const headers = {
    ...noStore,
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy':
      "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  }
  return new Response(html, { status, headers })
}

const s256 = (verifier: string) => createHash('sha256').update(verifier).digest('base64url')
const formDecoded = (text: string) => new URLSearchParams(`x=${text}`).get('x') ?? ''

function same(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(one), digest(other))
}
