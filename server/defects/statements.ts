import { sql } from 'drizzle-orm'
import type { Queries } from '../db/database.ts'
import { defects } from '../db/schema.ts'

/** Something built once for each object and forgotten with it. */
export function builtFor<Owner extends object, T>(build: (owner: Owner) => T): (owner: Owner) => T {
  const built = new WeakMap<Owner, T>()
  return owner => {
    let known = built.get(owner)
    if (known === undefined) {
      known = build(owner)
      built.set(owner, known)
    }
    return known
  }
}

/** Statements are built once per client, not once per request. */
export const perClient = <T>(build: (queries: Queries) => T) => builtFor(build)

/** The first of the last `days` days, today (UTC) among them. */
export const firstDay = (days: unknown) => sql`((now() at time zone 'UTC')::date - (${days}::int - 1))`

/** Filed on that day (UTC) or later. */
export const sinceDay = (day: unknown) =>
  sql`${defects.createdAt} >= (${day}::date)::timestamp at time zone 'UTC'`
