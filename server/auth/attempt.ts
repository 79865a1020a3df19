import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { Config } from '../config/read.ts'
import { cookieJar, cookiesOf } from './cookies.ts'
import { createSeal } from './seal.ts'

const Attempt = Type.Object(
  {
    v: Type.Literal(1),
    purpose: Type.Literal('sign-in'),
    aud: Type.String(),
    provider: Type.String(),
    state: Type.String(),
    nonce: Type.String(),
    verifier: Type.String(),
    returnTo: Type.String(),
    exp: Type.Integer(),
  },
  { additionalProperties: false },
)
type Sealed = Static<typeof Attempt>

/** A sign-in under way. It lives in a cookie of the browser that began it. */
export type Attempt = Pick<Sealed, 'state' | 'nonce' | 'verifier' | 'returnTo'>

const LIFETIME_SECONDS = 600
/** Attempts that one browser may have open at once: more would not fit into a request's header. */
const OPEN_MOST = 4
const USED_MOST = 10_000
const STATE = /^[\w-]{43}$/

/** A cookie an attempt, so that two tabs or an abandoned attempt are in nobody's way. */
export function createAttempts(config: Config, now: () => number = Date.now) {
  const jar = cookieJar(config)
  const seal = createSeal(config.session, 'sign-in', now)
  const prefix = jar.name('-tx-')
  const nameOf = (state: string) => prefix + state.slice(0, 10)
  /** A second instance does not know these: there it is the provider that takes a code only once. */
  const used = new Map<string, number>()

  function use(state: string, expiresAt: number): boolean {
    if (used.has(state)) return false
    for (const [old, end] of used) {
      if (end > now() && used.size < USED_MOST) break
      used.delete(old)
    }
    used.set(state, expiresAt)
    return true
  }

  function isOurs(sealed: unknown, state: string): sealed is Sealed {
    if (!Value.Check(Attempt, sealed)) return false
    const here = sealed.aud === config.publicUrl && sealed.provider === config.oauth.provider
    return here && sealed.state === state && sealed.exp > now()
  }

  return {
    /** The Set-Cookie values that begin an attempt; the oldest of too many gives way. */
    async begin(attempt: Attempt, cookieHeader: string | null): Promise<string[]> {
      const { provider } = config.oauth
      const exp = now() + LIFETIME_SECONDS * 1000
      const sealed: Sealed = { v: 1, purpose: 'sign-in', aud: config.publicUrl, provider, ...attempt, exp }
      const cookie = jar.set(nameOf(attempt.state), await seal.close(sealed, exp), LIFETIME_SECONDS)
      const open = cookiesOf(cookieHeader).flatMap(([name]) => (name.startsWith(prefix) ? [name] : []))
      return [...open.slice(0, Math.max(0, open.length + 1 - OPEN_MOST)).map(jar.clear), cookie]
    },

    /** The attempt that this state belongs to, once. */
    async take(state: string | undefined, cookieHeader: string | null): Promise<Attempt | undefined> {
      if (!state || !STATE.test(state)) return undefined
      const sent = cookiesOf(cookieHeader).filter(([name]) => name === nameOf(state))
      for (const [, value] of sent.slice(0, OPEN_MOST)) {
        const sealed = await seal.open(value)
        if (isOurs(sealed, state)) return use(state, sealed.exp) ? sealed : undefined
      }
    },

    /** The Set-Cookie value that ends it in the browser. */
    end: (attempt: Attempt) => jar.clear(nameOf(attempt.state)),
  }
}
