import { sql } from 'drizzle-orm'
import { type Queries, SESSION_SETTINGS, timeLimits } from './client.ts'

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
