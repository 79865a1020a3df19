import { sql } from 'drizzle-orm'
import { coalesced } from '../coalesce.ts'
import type { Database, Queries } from '../db/database.ts'
import { sessionCutoffs } from '../db/schema.ts'

/** Which sessions were ended, by the clock of the database: those of other instances may differ. */
export interface Cutoffs {
  /** False until they were read for the first time. */
  isKnown(): boolean
  /** Epoch milliseconds. */
  now(): number
  hasEnded(session: { email: string; issuedAt: number }): boolean
  /** Reads them anew. */
  read(): Promise<void>
}

export const READ_EVERY_MS = 2_000
/** Longer than a read takes whose database is well. */
const READ_MOST_MS = 1_000
/** After this every server that can ask its database knows what was ended. */
export const KNOWN_AFTER_MS = READ_EVERY_MS + READ_MOST_MS

const EVERYBODY = '*'

export function createCutoffs(db: Database, clock: () => number = Date.now): Cutoffs {
  let known: ReadonlyMap<string, number> | undefined
  let ahead = 0

  const read = coalesced<object, void>(async () => {
    const [found] = await db.read(queries => queries.execute<{ cutoffs: string; now: number }>(CURRENT))
    if (!found) throw new Error('the database said nothing of sessions')
    // It was that time before the answer came here, so no session is ever dated later than it began.
    ahead = found.now - clock()
    known = new Map(Object.entries(JSON.parse(found.cutoffs)))
  })

  return {
    isKnown: () => known !== undefined,
    now: () => clock() + ahead,
    hasEnded: ({ email, issuedAt }) =>
      known !== undefined && issuedAt <= Math.max(known.get(EVERYBODY) ?? 0, known.get(email) ?? 0),
    read: () => read({}),
  }
}

const { email, endedBefore } = sessionCutoffs
const CURRENT = sql`select
  coalesce(json_object_agg(${email}, (extract(epoch from ${endedBefore}) * 1000)::float8), '{}')::text as cutoffs,
  (extract(epoch from clock_timestamp()) * 1000)::float8 as now
  from ${sessionCutoffs}`

/** For what only seals: nothing was ever ended. */
export const noCutoffs = (clock: () => number = Date.now): Cutoffs => ({
  isKnown: () => true,
  now: clock,
  hasEnded: () => false,
  read: async () => {},
})

/** Ends the sessions of one person, or of everybody, that began until now. */
export async function endSessions(db: Database, person: string = EVERYBODY): Promise<void> {
  await db.write(queries => cutOff(queries, person))
}

/** A cut-off never moves back. `since`: one that it must not be before. */
export async function cutOff(queries: Queries, person: string = EVERYBODY, since?: Date): Promise<void> {
  const from = sql`greatest(clock_timestamp(), ${since?.toISOString() ?? null}::timestamptz)`
  await queries
    .insert(sessionCutoffs)
    .values({ email: person, endedBefore: from })
    .onConflictDoUpdate({
      target: email,
      set: { endedBefore: sql`greatest(${endedBefore}, excluded.ended_before)` },
    })
}

/** Reads them every two seconds. */
export function followCutoffs(cutoffs: Cutoffs): { stop(): void } {
  // Health tells of a database that is away; what was known goes on to hold.
  const timer = setInterval(() => void cutoffs.read().catch(() => {}), READ_EVERY_MS)
  return { stop: () => clearInterval(timer) }
}
