import type { Database, Queries } from '../../server/db/database.ts'

export interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  Plans?: PlanNode[]
}

interface Statement {
  getQuery(): { sql: string }
}

interface Driver {
  unsafe(text: string, values: string[]): Promise<{ 'QUERY PLAN': [{ Plan: PlanNode }] }[]>
}

/** The nodes of the plan that the database makes for a statement of ours and these parameters. */
export function planOf(
  db: Database,
  statement: (queries: Queries) => Statement,
  values: string[] = [],
): Promise<PlanNode[]> {
  return db.read(async queries => {
    const driver = (queries as unknown as { $client: Driver }).$client
    const text = `explain (format json) ${statement(queries).getQuery().sql}`
    const [row] = await driver.unsafe(text, values)
    return flat(row!['QUERY PLAN'][0].Plan)
  })
}

const flat = (plan: PlanNode): PlanNode[] => [plan, ...(plan.Plans ?? []).flatMap(flat)]
