import { fillPlaceholders } from 'drizzle-orm'
import type { Queries } from './client.ts'

interface Prepared {
  getQuery(): { sql: string; params: unknown[] }
}

interface Driver {
  unsafe(text: string, values: unknown[], options: { prepare: boolean }): Promise<unknown[]>
}

/**
 * The rows of a prepared query as the driver hands them over, each column under its name. Drizzle itself
 * would have PostgreSQL parse and plan the statement anew each time.
 */
export function runPrepared<Row>(
  queries: Queries,
  query: Prepared,
  given: Record<string, unknown>,
  { prepare = true } = {},
): Promise<Row[]> {
  const { sql, params } = query.getQuery()
  const driver = (queries as unknown as { $client: Driver }).$client
  return driver.unsafe(sql, fillPlaceholders(params, given), { prepare }) as Promise<Row[]>
}
