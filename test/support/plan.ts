import { sql } from 'drizzle-orm'
import type { Queries } from '../../server/db/database.ts'
import { runPrepared } from '../../server/db/prepared.ts'

export interface Plan {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  Plans?: Plan[]
}
type Explained = { 'QUERY PLAN': [{ Plan: Plan }] }

interface Prepared {
  getQuery(): { sql: string; params: unknown[] }
}

/** The nodes of both plans that the database may make: one for these parameters, one for any. */
export async function plansOf(queries: Queries, query: Prepared, parameters: object = {}): Promise<Plan[][]> {
  const { sql: text, params } = query.getQuery()
  const explained = { getQuery: () => ({ sql: `explain (format json) ${text}`, params }) }
  const [custom] = await runPrepared<Explained>(queries, explained, { ...parameters })
  const [generic] = await queries.execute<Explained>(sql.raw(`explain (generic_plan, format json) ${text}`))
  return [custom, generic].map(plan => nodes(plan!['QUERY PLAN'][0].Plan))
}

const nodes = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodes)]
