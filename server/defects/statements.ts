import { sql } from 'drizzle-orm'
import type { Queries } from '../db/database.ts'

/** Statements are built once per client, not once per request. */
export function perClient<T>(build: (queries: Queries) => T): (queries: Queries) => T {
  const built = new WeakMap<Queries, T>()
  return queries => {
    let prepared = built.get(queries)
    if (prepared === undefined) {
      prepared = build(queries)
      built.set(queries, prepared)
    }
    return prepared
  }
}

/** The first of the last `days` days, today (UTC) among them. */
export const firstDay = (days: unknown) => sql`(now() at time zone 'UTC')::date - (${days}::int - 1)`
