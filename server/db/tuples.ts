import { fillPlaceholders } from 'drizzle-orm'
import type { Queries } from './client.ts'

interface Prepared {
  getQuery(): { sql: string; params: unknown[] }
}

interface Driver {
  unsafe(text: string, values: unknown[], options: { prepare: boolean }): { values(): Promise<unknown[][]> }
}

/**
 * The rows of a prepared query as the driver hands them over. Drizzle's mapping of fifty rows costs as
 * much as PostgreSQL's finding them.
 */
export function tuples<T>(queries: Queries, query: Prepared, given: Record<string, unknown>): Promise<T[]> {
  const { sql, params } = query.getQuery()
  const driver = (queries as unknown as { $client: Driver }).$client
  return driver.unsafe(sql, fillPlaceholders(params, given), { prepare: true }).values() as Promise<T[]>
}
