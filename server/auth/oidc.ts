import { CodeChallengeMethod, generateCodeVerifier, generateState, OAuth2Client, OAuth2Tokens } from 'arctic'
import type { Config } from '../config/read.ts'
import type { OutboundAnswer } from '../outbound.ts'
import type { Attempt } from './attempt.ts'
import { AttemptEnded, ProviderFault } from './fault.ts'
import { verifyIdToken } from './id-token.ts'
import { callProvider, createProvider, jsonOf, type ProviderDocument } from './provider.ts'

export type Oidc = ReturnType<typeof createOidc>

/** Finishing a sign-in takes no longer, whatever the provider does: two look-ups may stand around the exchange. */
export const TOTAL_MS = 9_500
const KEYS_RESERVE_MS = 4_000
const LEAST_MS = 1_000
/** Some providers keep these for another endpoint unless asked to put them into the id_token. */
const CLAIMS = JSON.stringify({
  id_token: { email: { essential: true }, email_verified: { essential: true } },
})

/**
 * OAuth's words and nothing but: arctic makes the authorization URL, PKCE and random values and reads
 * the tokens. It would also send the token request, but without deadline or limit and following
 * redirects with the code in hand, so that goes the way of every outgoing call.
 */
export function createOidc(config: Config, now: () => number = Date.now) {
  const { issuer, clientId, clientSecret, provider: segment } = config.oauth
  const redirectUri = `${config.publicUrl}/auth/${segment}/callback`
  const client = new OAuth2Client(clientId, clientSecret, redirectUri)
  const askProvider = createProvider(issuer, now)

  async function exchange(provider: ProviderDocument, code: string, verifier: string, deadlineMs: number) {
    const body = new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
    })
    const headers: Record<string, string> = { 'content-type': 'application/x-www-form-urlencoded' }
    if (takesBasic(provider)) {
      headers.authorization = `Basic ${btoa(`${formEncoded(clientId)}:${formEncoded(clientSecret)}`)}`
    } else {
      body.set('client_id', clientId)
      body.set('client_secret', clientSecret)
    }
    const options = { method: 'POST', headers, body: body.toString(), deadlineMs } as const
    const answer = await callProvider(issuer, provider.token_endpoint, options)
    if (answer.status !== 200) throw exchangeFault(answer)
    return idTokenOf(answer, provider.token_endpoint)
  }

  return {
    /** Where the browser signs in, and what the callback must match. */
    async start({ returnTo, chooseAccount }: { returnTo: string; chooseAccount: boolean }) {
      const { authorization_endpoint, claims_parameter_supported } = await askProvider()
      const { S256 } = CodeChallengeMethod
      const scopes = ['openid', 'email']
      const [state, nonce, verifier] = [generateState(), generateState(), generateCodeVerifier()]
      const url = client.createAuthorizationURLWithPKCE(authorization_endpoint, state, S256, verifier, scopes)
      url.searchParams.set('nonce', nonce)
      if (claims_parameter_supported) url.searchParams.set('claims', CLAIMS)
      if (chooseAccount) url.searchParams.set('prompt', 'select_account')
      return { location: url.href, attempt: { state, nonce, verifier, returnTo } }
    },

    /** Verified claims; else `ProviderFault`, `AttemptEnded` or `IdentityUnproven`. */
    async finish({ nonce, verifier }: Attempt, { code, iss }: { code: string; iss?: string }) {
      const began = performance.now()
      const provider = await askProvider()
      checkResponder(provider, iss)
      const left = TOTAL_MS - KEYS_RESERVE_MS - (performance.now() - began)
      const token = await exchange(provider, code, verifier, Math.max(LEAST_MS, left))
      return verifyIdToken(token, { issuer, clientId, nonce }, provider.keys, now)
    },
  }
}

/** RFC 9207: an answer of another provider, passed off as this one's. */
function checkResponder(document: ProviderDocument, iss: string | undefined): void {
  const promised = document.authorization_response_iss_parameter_supported === true
  if (iss === undefined ? promised : iss !== document.issuer) {
    throw new AttemptEnded('the answer names another issuer')
  }
}

function takesBasic({ token_endpoint_auth_methods_supported: methods }: ProviderDocument): boolean {
  return !methods || methods.includes('client_secret_basic') || !methods.includes('client_secret_post')
}

const formEncoded = (text: string) => new URLSearchParams({ x: text }).toString().slice(2)

function exchangeFault(answer: OutboundAnswer): Error {
  const code = answer.status === 400 || answer.status === 401 ? oauthErrorOf(answer) : undefined
  if (code === 'invalid_grant') return new AttemptEnded('the provider does not take the code')
  if (code === 'invalid_client' || code === 'unauthorized_client') {
    return new ProviderFault(
      502,
      `the provider refuses this client: ${code}`,
      'check OAUTH_CLIENT_ID and OAUTH_CLIENT_SECRET, and the redirect URI registered there',
    )
  }
  return new ProviderFault(502, `the token endpoint answered ${answer.status}${code ? ` ${code}` : ''}`)
}

function oauthErrorOf(answer: OutboundAnswer): string | undefined {
  try {
    const { error } = jsonOf(answer, 'the token endpoint') as { error?: unknown }
    return typeof error === 'string' && /^[a-z_]{1,60}$/.test(error) ? error : undefined
  } catch {
    return undefined
  }
}

function idTokenOf(answer: OutboundAnswer, address: string): string {
  const tokens = new OAuth2Tokens(jsonOf(answer, address))
  try {
    return tokens.idToken()
  } catch {
    throw new ProviderFault(502, `${address} gave no id_token`, 'is OAUTH_ISSUER an OpenID provider?')
  }
}
