import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from 'jose'
import { isLoopback } from '../loopback.ts'
import { type OutboundAnswer, OutboundFault, type OutboundRequest, request } from '../outbound.ts'
import { ProviderFault } from './fault.ts'

const Document = Type.Object({
  issuer: Type.String(),
  authorization_endpoint: Type.String(),
  token_endpoint: Type.String(),
  jwks_uri: Type.String(),
  token_endpoint_auth_methods_supported: Type.Optional(Type.Array(Type.String())),
  authorization_response_iss_parameter_supported: Type.Optional(Type.Boolean()),
  claims_parameter_supported: Type.Optional(Type.Boolean()),
})

const KeySet = Type.Object({ keys: Type.Array(Type.Object({})) })

/** What the provider says of itself, as far as we use it. */
export type ProviderDocument = Static<typeof Document>

export interface Provider extends ProviderDocument {
  keys: JWTVerifyGetKey
}

const LOOK_UP_MS = 4_000
const ANSWER_MOST_BYTES = 256 * 1024
const FRESH_MS = 3_600_000
const AFTER_FAILURE_MS = 5_000

/** Asks the provider once for all who ask at once; its answer is good for a while, a failure not repeated at once. */
export function createProvider(issuer: string, now: () => number): () => Promise<Provider> {
  let asked: Promise<Provider> | undefined
  let goodUntil = 0
  return () => {
    if (asked && now() < goodUntil) return asked
    goodUntil = Number.POSITIVE_INFINITY
    const keep = (ms: number) => () => {
      goodUntil = now() + ms
    }
    asked = discover(issuer).then(document => ({ ...document, keys: keysOf(issuer, document) }))
    asked.then(keep(FRESH_MS), keep(AFTER_FAILURE_MS))
    return asked
  }
}

export const descriptionAddress = (issuer: string) =>
  `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`

/** The provider's own description; every fault is a `ProviderFault` that says what to change. */
export async function discover(issuer: string): Promise<ProviderDocument> {
  const address = descriptionAddress(issuer)
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

/** jose keeps the keys, and asks again for one that they lack; the way there is that of every outgoing call. */
function keysOf(issuer: string, { jwks_uri }: ProviderDocument): JWTVerifyGetKey {
  return createRemoteJWKSet(new URL(jwks_uri), {
    [customFetch]: async address => {
      const keys = await fetchJson(issuer, address)
      if (Value.Check(KeySet, keys)) return Response.json(keys)
      throw new ProviderFault(502, `${address} is not a key set`)
    },
  })
}

async function fetchJson(issuer: string, address: string): Promise<object> {
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
