import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PgDialect } from 'drizzle-orm/pg-core'
import { insertDefect } from '../support/defects.ts'

/** The same entries as one would read them by hand, a row each. */
export const PLAIN_FEED = `select defects.id, section_id, project_id, projects.name, verbatim, reporter, defects.created_at
  from defects join projects on projects.id = defects.project_id
  order by defects.created_at desc, defects.id desc limit 51`

export const fileInto = (projectId: string) => `with filed as (
  ${new PgDialect().sqlToQuery(insertDefect({ projectId }).inlineParams()).sql} returning *)
  select filed.*, projects.name from filed join projects on projects.id = filed.project_id`

export function findPgbench(): string | undefined {
  const onPath = Bun.which('pgbench')
  if (onPath) return onPath
  const debian = '/usr/lib/postgresql'
  if (!existsSync(debian)) return undefined
  return readdirSync(debian)
    .map(version => join(debian, version, 'bin/pgbench'))
    .find(existsSync)
}

/** A statement by PostgreSQL's own client; transactions a second. */
export async function pgbench(
  url: string,
  statement: string,
  clients: number,
  seconds: number,
  scratch: string,
): Promise<number> {
  const program = findPgbench()
  if (!program) throw new Error('pgbench is not installed')
  const script = join(scratch, 'statement.sql')
  writeFileSync(script, `${statement.replace(/\s+/g, ' ')};`)
  const jobs = String(Math.min(clients, 2))
  const command = [
    program,
    '-n',
    '-M',
    'prepared',
    '-f',
    script,
    '-c',
    String(clients),
    '-j',
    jobs,
    '-T',
    String(seconds),
    url,
  ]
  const child = Bun.spawn(command, { stdout: 'pipe', stderr: 'pipe' })
  const report = await new Response(child.stdout).text()
  const [, perSecond] = /^tps = ([\d.]+)/m.exec(report) ?? []
  if (!perSecond) throw new Error(`pgbench said: ${report} ${await new Response(child.stderr).text()}`)
  return Number(perSecond)
}
