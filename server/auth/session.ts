import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { Config } from '../config/read.ts'
import { cookieJar, cookiesOf } from './cookies.ts'
import { type Cutoffs, noCutoffs } from './cutoffs.ts'
import { admit, isOwner } from './identity.ts'
import { createSeal } from './seal.ts'

export interface Visitor {
  /** lower-cased, verified, inside the allowed domain right now */
  email: string
  isOwner: boolean
  /** epoch milliseconds, by the clock of the database */
  issuedAt: number
  expiresAt: number
}

export type Sessions = ReturnType<typeof createSessions>

const Session = Type.Object(
  {
    v: Type.Literal(1),
    purpose: Type.Literal('session'),
    aud: Type.String(),
    email: Type.String({ maxLength: 254 }),
    iat: Type.Integer(),
    exp: Type.Integer(),
  },
  { additionalProperties: false },
)
type Session = Static<typeof Session>

const REMEMBERED_MOST = 10_000
const CANDIDATES_MOST = 4
/** The browser forgets the cookie a little before the server would refuse it. */
const FORGET_EARLY_SECONDS = 60

/** Sealed cookies, opened once each and judged anew on every request. */
export function createSessions(config: Config, cutoffs: Cutoffs = noCutoffs()) {
  const { now } = cutoffs
  const jar = cookieJar(config)
  const name = jar.name()
  const seal = createSeal(config.session, 'session', now)
  const ttl = config.session.ttlSeconds * 1000
  /** By their seals; only their time can still run out, or be ended. */
  const remembered = new Map<string, Visitor>()

  function judge(session: Session): Visitor | undefined {
    const expiresAt = Math.min(session.exp, session.iat + ttl)
    if (expiresAt <= now() || session.aud !== config.publicUrl) return undefined
    const admission = admit({ email: session.email, email_verified: true }, config)
    if (!('email' in admission)) return undefined
    const visitor = {
      email: admission.email,
      isOwner: isOwner(admission.email, config),
      issuedAt: session.iat,
      expiresAt,
    }
    return cutoffs.hasEnded(visitor) ? undefined : visitor
  }

  function remember(sealed: string, visitor: Visitor) {
    if (remembered.has(sealed)) return
    const oldest = remembered.keys().next()
    if (remembered.size >= REMEMBERED_MOST && !oldest.done) remembered.delete(oldest.value)
    remembered.set(sealed, visitor)
  }

  function recall(sealed: string): Visitor | undefined {
    const visitor = remembered.get(sealed)
    if (visitor && visitor.expiresAt > now() && !cutoffs.hasEnded(visitor)) return visitor
    remembered.delete(sealed)
  }

  async function firstThatOpens(candidates: string[]): Promise<Visitor | undefined> {
    for (const sealed of candidates) {
      const visitor = recall(sealed) ?? opened(await seal.open(sealed))
      if (!visitor) continue
      remember(sealed, visitor)
      return visitor
    }
  }

  /** Nobody is let in before it is known which sessions were ended. */
  async function unlessEnded(opening: Visitor | undefined | Promise<Visitor | undefined>) {
    const visitor = await opening
    if (!visitor) return undefined
    await cutoffs.read()
    return cutoffs.hasEnded(visitor) ? undefined : visitor
  }

  const opened = (session: unknown) => (Value.Check(Session, session) ? judge(session) : undefined)

  return {
    /**
     * Who a Cookie header belongs to, judged against the configuration in force; at once when the seal was opened
     * before. Throws `DatabaseUnavailable` for a good session while it is not known which were ended.
     */
    open(cookieHeader: string | null): Visitor | undefined | Promise<Visitor | undefined> {
      if (!cookieHeader) return undefined
      const candidates = cookiesOf(cookieHeader).filter(([is]) => is === name)
      const first = candidates[0]?.[1]
      if (first === undefined) return undefined
      const visitor =
        recall(first) ?? firstThatOpens(candidates.slice(0, CANDIDATES_MOST).map(([, value]) => value))
      return cutoffs.isKnown() ? visitor : unlessEnded(visitor)
    },
    /** The Set-Cookie value that begins a session. */
    async begin(email: string): Promise<string> {
      // by the database's clock, which is known from then on
      if (!cutoffs.isKnown()) await cutoffs.read()
      const iat = Math.floor(now())
      const exp = iat + ttl
      const session: Session = { v: 1, purpose: 'session', aud: config.publicUrl, email, iat, exp }
      return jar.set(name, await seal.close(session, exp), config.session.ttlSeconds - FORGET_EARLY_SECONDS)
    },
    /** The Set-Cookie value that ends it. */
    end: jar.clear(name),
  }
}
