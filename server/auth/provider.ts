import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { createLocalJWKSet } from 'jose'
import { isLoopback } from '../loopback.ts'
import { type OutboundAnswer, OutboundFault, type OutboundRequest, request } from '../outbound.ts'
import { ProviderFault } from './fault.ts'

/** What the provider says of itself, as far as we use it. */
export interface ProviderDocument {
  issuer: string
  authorization_endpoint: string
  token_endpoint: string
  jwks_uri: string
  token_endpoint_auth_methods_supported?: string[]
  authorization_response_iss_parameter_supported?: boolean
  claims_parameter_supported?: boolean
}

export type Keys = ReturnType<typeof createLocalJWKSet>

export interface Provider {
  document(): Promise<ProviderDocument>
  keys(): Promise<Keys>
  /** For a key that the known ones lack; the provider is asked at most once per cool-down. */
  newestKeys(): Promise<Keys>
}

const Document = Type.Object({
  issuer: Type.String(),
  authorization_endpoint: Type.String(),
  token_endpoint: Type.String(),
  jwks_uri: Type.String(),
  token_endpoint_auth_methods_supported: Type.Optional(Type.Array(Type.String())),
  authorization_response_iss_parameter_supported: Type.Optional(Type.Boolean()),
  claims_parameter_supported: Type.Optional(Type.Boolean()),
})

const LOOK_UP_MS = 4_000
const ANSWER_MOST_BYTES = 256 * 1024
const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
const AFTER_FAILURE_MS = 5_000
const BETWEEN_KEY_LOOK_UPS_MS = 30_000

export function createProvider(issuer: string, now: () => number): Provider {
  const document = cached(() => discover(issuer), { freshMs: HOUR_MS, coolDownMs: HOUR_MS, now })
  const keys = cached(async () => fetchKeys(issuer, (await document.get()).jwks_uri), {
    freshMs: 10 * MINUTE_MS,
    coolDownMs: BETWEEN_KEY_LOOK_UPS_MS,
    now,
  })
  return { document: document.get, keys: keys.get, newestKeys: keys.renewed }
}

/** The provider's own description; every fault is a `ProviderFault` that says what to mend. */
async function discover(issuer: string): Promise<ProviderDocument> {
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const document = await fetchJson(issuer, address)
  if (!Value.Check(Document, document)) {
    throw new ProviderFault(502, `${address} is not an OpenID provider's description`, 'check OAUTH_ISSUER')
  }
  if (document.issuer !== issuer) {
    const said = JSON.stringify(document.issuer.slice(0, 200))
    throw new ProviderFault(
      502,
      `the provider calls itself ${said}`,
      'OAUTH_ISSUER must be exactly that, if it is right',
    )
  }
  for (const endpoint of [document.authorization_endpoint, document.token_endpoint, document.jwks_uri]) {
    if (URL.canParse(endpoint) && mayCall(issuer)(new URL(endpoint))) continue
    throw new ProviderFault(502, 'the provider names an endpoint that is not https')
  }
  return document
}

/** Plain http only where the issuer itself is on loopback. */
function mayCall(issuer: string): (url: URL) => boolean {
  const local = issuer.startsWith('http:')
  return url => url.protocol === 'https:' || (local && url.protocol === 'http:' && isLoopback(url.hostname))
}

async function fetchKeys(issuer: string, address: string): Promise<Keys> {
  const set = await fetchJson(issuer, address)
  try {
    return createLocalJWKSet(set as Parameters<typeof createLocalJWKSet>[0])
  } catch {
    throw new ProviderFault(502, `${address} is not a key set`)
  }
}

async function fetchJson(issuer: string, address: string): Promise<unknown> {
  const answer = await callProvider(issuer, address, { deadlineMs: LOOK_UP_MS })
  if (answer.status !== 200) throw new ProviderFault(502, `${address} answered ${answer.status}`)
  return jsonOf(answer, address)
}

export async function callProvider(
  issuer: string,
  address: string,
  options: Pick<OutboundRequest, 'deadlineMs' | 'method' | 'headers' | 'body'>,
): Promise<OutboundAnswer> {
  const headers = { accept: 'application/json', ...options.headers }
  try {
    return await request(address, {
      ...options,
      headers,
      allow: mayCall(issuer),
      maxBytes: ANSWER_MOST_BYTES,
    })
  } catch (error) {
    if (error instanceof OutboundFault) throw new ProviderFault(503, error.message)
    throw error
  }
}

export function jsonOf({ body, complete }: OutboundAnswer, address: string): object {
  try {
    const value: unknown = complete && JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
    if (typeof value === 'object' && value !== null) return value
  } catch {}
  throw new ProviderFault(502, `${address} did not answer with JSON`)
}

interface CacheOptions {
  freshMs: number
  /** How long a value just loaded is the newest there is. */
  coolDownMs: number
  now: () => number
}

/** One look-up for all who ask at once, good for a while; a failure is not repeated at once. */
function cached<T>(load: () => Promise<T>, { freshMs, coolDownMs, now }: CacheOptions) {
  let good: { at: number; value: T } | undefined
  let bad: { at: number; failure: unknown } | undefined
  let loading: Promise<T> | undefined

  async function look(): Promise<T> {
    try {
      const value = await load()
      good = { at: now(), value }
      return value
    } catch (failure) {
      bad = { at: now(), failure }
      throw failure
    } finally {
      loading = undefined
    }
  }

  async function youngerThan(ms: number): Promise<T> {
    if (good && now() - good.at < ms) return good.value
    if (bad && now() - bad.at < AFTER_FAILURE_MS) throw bad.failure
    loading ??= look()
    return loading
  }

  return { get: () => youngerThan(freshMs), renewed: () => youngerThan(coolDownMs) }
}
