import { sql } from 'drizzle-orm'
import type { Database, Queries } from '../db/database.ts'
import { defects, projectDays, projectTotals, sectionDays, sectionTotals } from '../db/schema.ts'
import type { Counter } from './counters.ts'

interface Kept {
  table: Counter
  /** the columns that its rows are counted by */
  by: string[]
}
const COUNTERS: Kept[] = [
  { table: sectionTotals, by: ['section_id'] },
  { table: sectionDays, by: ['day', 'section_id'] },
  { table: projectTotals, by: ['project_id', 'section_id'] },
  { table: projectDays, by: ['project_id', 'day', 'section_id'] },
]

/** What was kept beside what there is; day null: in all, project null: in all projects. */
export interface Miscount {
  section_id: string
  project_id: string | null
  day: string | null
  kept: number
  counted: number
}

const LONGEST_MS = 60 * 60_000

/** Counts anew from the defects themselves, while nobody files; tells what differed. */
export async function rebuildCounts(db: Database): Promise<Miscount[]> {
  return db.transaction(
    async queries => {
      await queries.execute(sql`set local statement_timeout = 0`)
      await queries.execute(sql`lock table ${defects} in share mode`)
      const differing: Miscount[] = []
      for (const counter of COUNTERS) differing.push(...(await rebuild(queries, counter)))
      return differing
    },
    { deadlineMs: LONGEST_MS },
  )
}

async function rebuild(queries: Queries, { table, by }: Kept): Promise<Miscount[]> {
  const keys = sql.raw(by.join(', '))
  const counted = sql`(select ${keys}, count(*) from (
    select section_id, project_id, (created_at at time zone 'UTC')::date as day from ${defects}) as one group by ${keys})`
  const told = (name: string) => sql.raw(by.includes(name) ? `${name}::text` : 'null::text')
  const differing = await queries.execute<Record<keyof Miscount, never>>(sql`
    select section_id, ${told('project_id')} as project_id, ${told('day')} as day,
      coalesce(kept.count, 0)::float8 as kept, coalesce(counted.count, 0)::float8 as counted
    from (select ${keys}, sum(count) as count from ${table} group by ${keys}) as kept
      full join ${counted} as counted using (${keys})
    where coalesce(kept.count, 0) <> coalesce(counted.count, 0) order by 1, 2, 3`)
  await queries.delete(table)
  await queries.execute(
    sql`insert into ${table} (${keys}, count, slot) select *, 0 from ${counted} as counted`,
  )
  return [...differing]
}
