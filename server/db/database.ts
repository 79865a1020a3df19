import type { PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import type * as schema from './schema.ts'

export type Queries = PostgresJsDatabase<typeof schema>

/**
 * The one door to the database. Every call has a deadline and throws `DatabaseUnavailable`
 * when the database is out of reach, over its time, or not to be trusted.
 */
export interface Database {
  kind: 'postgres' | 'embedded'
  /** Idempotent statements: tried once more on a fresh connection when the first one broke. */
  read<T>(run: (queries: Queries) => Promise<T>): Promise<T>
  /** One statement that changes something; never repeated. */
  write<T>(run: (queries: Queries) => Promise<T>): Promise<T>
  /** Several statements in one transaction; never repeated. */
  transaction<T>(run: (queries: Queries) => Promise<T>): Promise<T>
  /** True within a second, or false. */
  ping(): Promise<boolean>
  close(): Promise<void>
}
