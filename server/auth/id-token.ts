import { errors, type JWTPayload, type JWTVerifyGetKey, type JWTVerifyOptions, jwtVerify } from 'jose'
import { IdentityUnproven, ProviderFault } from './fault.ts'
import type { Claims } from './identity.ts'

interface Expected {
  issuer: string
  clientId: string
  nonce: string
}

/** Signatures that only the holder of a private key can make. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
]
/** How far the provider's clock and ours may be apart. */
export const LEEWAY_SECONDS = 30
const DAY_SECONDS = 86_400
const LONGEST_LIFE_SECONDS = 366 * DAY_SECONDS

/** The claims of an id_token that the provider signed for us, for this attempt, not long ago. */
export async function verifyIdToken(
  token: string,
  expected: Expected,
  keys: JWTVerifyGetKey,
  now: () => number,
): Promise<Claims> {
  const options: JWTVerifyOptions = {
    algorithms: ALGORITHMS,
    issuer: expected.issuer,
    audience: expected.clientId,
    requiredClaims: ['sub', 'exp'],
    maxTokenAge: DAY_SECONDS,
    clockTolerance: LEEWAY_SECONDS,
    currentDate: new Date(now()),
  }
  try {
    const payload = await signedClaims(token, options, keys)
    checkParty(payload, expected)
    checkLife(payload, now())
    return { email: payload.email, email_verified: payload.email_verified }
  } catch (error) {
    if (error instanceof ProviderFault || error instanceof IdentityUnproven) throw error
    throw new IdentityUnproven(reasonOf(error))
  }
}

/** Several keys may go by one id. */
async function signedClaims(
  token: string,
  options: JWTVerifyOptions,
  keys: JWTVerifyGetKey,
): Promise<JWTPayload> {
  try {
    return (await jwtVerify(token, keys, options)).payload
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error
    for await (const key of error) {
      const verified = await jwtVerify(token, key, options).catch(unlessSignature)
      if (verified) return verified.payload
    }
    throw new errors.JWSSignatureVerificationFailed()
  }
}

function unlessSignature(error: unknown): undefined {
  if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error
}

function checkParty({ aud, azp, nonce }: JWTPayload, { clientId, nonce: expected }: Expected): void {
  if (nonce !== expected) throw new IdentityUnproven('nonce: belongs to another attempt')
  if (azp === undefined ? Array.isArray(aud) && aud.length > 1 : azp !== clientId) {
    throw new IdentityUnproven('azp: was issued to another client')
  }
}

function checkLife({ exp }: JWTPayload, now: number): void {
  if (exp! * 1000 > now + LONGEST_LIFE_SECONDS * 1000) {
    throw new IdentityUnproven('exp: is out of all proportion')
  }
}

/** Never the token, nor what it claims: which check it was, in our words and jose's code. */
function reasonOf(error: unknown): string {
  if (error instanceof errors.JWTClaimValidationFailed || error instanceof errors.JWTExpired) {
    return `${error.claim}: ${error.reason} (${error.code})`
  }
  return error instanceof errors.JOSEError ? error.code : 'cannot be read'
}
