import { sql } from 'drizzle-orm'
import { createClient, type Queries, SESSION_SETTINGS, timeLimits } from './client.ts'
import { sqlState } from './faults.ts'

/** These say something of a connection, and that is the pooler's. */
const { application_name, idle_session_timeout, ...ofStatements } = SESSION_SETTINGS
const wanted: Record<string, string | number> = { ...ofStatements, ...timeLimits }

/**
 * A pooler takes no settings with a connection, and hands one set by hand to the next client. So the role brings
 * them: the statements that are still to be run, none when all is well.
 */
export async function missingSettings(queries: Queries): Promise<string[]> {
  const found = await queries.execute<{ name: string; setting: string; role: string }>(sql`
    select name, setting, format('%I in database %I', current_user, current_database()) as role from pg_settings`)
  return found
    .filter(({ name, setting }) => name in wanted && setting !== String(wanted[name]))
    .map(({ name, role }) => `alter role ${role} set ${name} = '${wanted[name]}'`)
}

/** What stands at a PostgreSQL's URL: nothing, or a pooler that gives its connections away. */
export type Between = 'nothing' | 'a pooler' | 'a pooler of statements'

export async function whatStandsBetween(url: string): Promise<Between> {
  const client = createClient({ kind: 'postgres', url }, { max: 1 })
  const plain = createClient({ kind: 'postgres', url, pooled: true }, { max: 1 })
  try {
    if (await settingsArrive(client.queries)) return 'nothing'
    await plain.queries.execute(sql`select 1`)
    return await plain.queries.transaction(async () => 'a pooler' as const).catch(ofStatementsAlone)
  } finally {
    await Promise.all([client.end(1), plain.end(1)]).catch(() => {})
  }
}

/** It closes the connection, which is all that the driver tells. */
const ofStatementsAlone = (): Between => 'a pooler of statements'

/** No role brings this one: a pooler refuses it, or keeps it to itself. */
async function settingsArrive(queries: Queries): Promise<boolean> {
  const asked = queries.execute<{ setting: string }>(
    sql`select setting from pg_settings where name = 'idle_session_timeout'`,
  )
  const [found] = await asked.catch(error => {
    if (isRefusedByPooler(error)) return []
    throw error
  })
  return found?.setting === String(idle_session_timeout)
}

const isRefusedByPooler = (error: unknown) => sqlState(error) === '08P01'
