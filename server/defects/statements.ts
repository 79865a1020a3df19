import { sql } from 'drizzle-orm'
import type { Queries } from '../db/database.ts'
import { builtFor } from '../memo.ts'

/** Statements are built once per client, not once per request. */
export const perClient = <T>(build: (queries: Queries) => T) => builtFor(build)

/** The first of the last `days` days, today (UTC) among them. */
export const firstDay = (days: unknown) => sql`(now() at time zone 'UTC')::date - (${days}::int - 1)`
