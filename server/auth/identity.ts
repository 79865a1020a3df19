import type { Config } from '../config/read.ts'

/** What an id_token may say about an address. Nothing else of it decides who enters. */
export interface Claims {
  email?: unknown
  email_verified?: unknown
}

export type RefusalReason = 'no_email' | 'malformed' | 'wrong_domain' | 'unverified' | 'verification_missing'
export type Admission = { email: string } | { refused: RefusalReason }

const LOCAL_PART = /^(?=.{1,64}$)[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/
const PRINTABLE_ASCII = /^[\x21-\x7e]{3,254}$/

/** Who may enter: a verified address of exactly the allowed domain. */
export function admit(claims: Claims, config: Pick<Config, 'allowedDomain'>): Admission {
  const { email, email_verified: verified } = claims
  if (email === undefined || email === null || email === '') return { refused: 'no_email' }
  if (typeof email !== 'string' || !isAddress(email)) return { refused: 'malformed' }
  if (!isInside(email, config.allowedDomain)) return { refused: 'wrong_domain' }
  if (verified === undefined) return { refused: 'verification_missing' }
  if (verified !== true) return { refused: 'unverified' }
  return { email: lower(email) }
}

/** An address as it is kept: lower-cased; undefined for what is none. */
export const addressOf = (text: string): string | undefined => (isAddress(text) ? lower(text) : undefined)

export function isOwner(email: string, config: Pick<Config, 'ownerEmail'>): boolean {
  return lower(email) === lower(config.ownerEmail) && isAddress(email)
}

function isAddress(email: string): boolean {
  const [local = '', domain, ...more] = email.split('@')
  return PRINTABLE_ASCII.test(email) && LOCAL_PART.test(local) && Boolean(domain) && more.length === 0
}

function isInside(email: string, allowedDomain: string): boolean {
  return lower(email.slice(email.indexOf('@') + 1)) === lower(allowedDomain)
}

/** ASCII letters only: Unicode's rules turn the Kelvin sign into a `k`. */
function lower(text: string): string {
  return /[A-Z]/.test(text) ? text.replace(/[A-Z]+/g, letters => letters.toLowerCase()) : text
}
