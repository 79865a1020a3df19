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
/** Attempts that one browser may have open at once, and their bytes: more would not fit into a request's header. */
const OPEN_MOST = 4
const OPEN_BYTES = 6_500
/** Browsers drop a cookie of more than 4 096 bytes, its name and attributes included. */
const COOKIE_MOST = 3_900
const USED_MOST = 10_000
const STATE_SHOWN = 10
const SECOND = '.2'
const STATE = /^[\w-]{43}$/

/**
 * A cookie an attempt, so that two tabs or an abandoned attempt are in nobody's way. A seal that is too long for one
 * cookie, because of the page to return to, goes on in a second.
 */
export function createAttempts(config: Config, now: () => number = Date.now) {
  const jar = cookieJar(config)
  const seal = createSeal(config.session, 'sign-in', now)
  const prefix = jar.name('-tx-')
  const namesOf = (state: string) => {
    const name = prefix + state.slice(0, STATE_SHOWN)
    return [name, name + SECOND] as const
  }
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

  /** The cookies of those attempts that leave no room for one of so many bytes. */
  function tooMany(cookieHeader: string | null, bytes: number): string[] {
    const open = cookiesOf(cookieHeader).filter(([name]) => name.startsWith(prefix))
    const attempts = [...Map.groupBy(open, ([name]) => name.slice(0, prefix.length + STATE_SHOWN)).values()]
    let room = OPEN_BYTES - bytes
    return attempts
      .toReversed()
      .flatMap((cookies, newer) => {
        for (const [, value] of cookies) room -= value.length
        return newer + 1 < OPEN_MOST && room >= 0 ? [] : cookies.map(([name]) => name)
      })
      .toReversed()
  }

  return {
    /** The Set-Cookie values that begin an attempt, its own last; the oldest of too many give way. */
    async begin(attempt: Attempt, cookieHeader: string | null): Promise<string[]> {
      const { provider } = config.oauth
      const exp = now() + LIFETIME_SECONDS * 1000
      const sealed: Sealed = { v: 1, purpose: 'sign-in', aud: config.publicUrl, provider, ...attempt, exp }
      const value = await seal.close(sealed, exp)
      const parts = [value.slice(0, COOKIE_MOST), value.slice(COOKIE_MOST)].filter(Boolean)
      const names = namesOf(attempt.state)
      const cookies = parts.map((part, i) => jar.set(names[i]!, part, LIFETIME_SECONDS))
      return [...tooMany(cookieHeader, value.length).map(jar.clear), ...cookies]
    },

    /** The attempt that this state belongs to, once. */
    async take(state: string | undefined, cookieHeader: string | null): Promise<Attempt | undefined> {
      if (!state || !STATE.test(state)) return undefined
      for (const value of sealsOf(cookiesOf(cookieHeader), namesOf(state))) {
        const sealed = await seal.open(value)
        if (isOurs(sealed, state)) return use(state, sealed.exp) ? sealed : undefined
      }
    },

    /** The Set-Cookie values that end it in the browser. */
    end: ({ state }: Attempt, cookieHeader: string | null): string[] => {
      const [first, second] = namesOf(state)
      const hasSecond = cookiesOf(cookieHeader).some(([name]) => name === second)
      return [first, ...(hasSecond ? [second] : [])].map(jar.clear)
    },
  }
}

/** What may be the seal: another path or a stranger may have set cookies of the same names. */
function sealsOf(cookies: [string, string][], [first, second]: readonly [string, string]): string[] {
  const sent = (wanted: string) =>
    cookies.flatMap(([name, value]) => (name === wanted ? [value] : [])).slice(0, OPEN_MOST)
  const rests = ['', ...sent(second)]
  return sent(first).flatMap(start => rests.map(rest => start + rest))
}
