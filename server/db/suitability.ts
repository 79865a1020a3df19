import { getTableName, is, sql } from 'drizzle-orm'
import { PgTable } from 'drizzle-orm/pg-core'
import type { Queries } from './client.ts'
import * as schema from './schema.ts'

/** What is wrong with a PostgreSQL that works, and the way out. */
export interface Finding {
  said: string
  mend: string
}

/** Confirmed reports, or all of them, may be lost when its machine fails. */
export async function lossySettings(queries: Queries): Promise<Finding[]> {
  const found = await queries.execute<{ name: keyof typeof losses }>(
    sql`select name from pg_settings where name in (${sql.join(
      Object.keys(losses).map(name => sql`${name}`),
      sql`, `,
    )}) and setting = 'off'`,
  )
  return found.map(({ name }) => ({
    said: `${name} is off: ${losses[name]}`,
    mend: `alter system set ${name} = on; select pg_reload_conf(); and look for it at the role and the database`,
  }))
}

const losses = {
  fsync: 'when its machine fails, the database may be destroyed',
  full_page_writes: 'when its machine fails, the database may be destroyed',
  synchronous_commit: 'when its machine fails, reports that were confirmed may be lost',
}

const ALL = ['select', 'insert', 'update', 'delete']
/** Reports are only ever added to. */
const leastOf: Record<string, string[]> = { defects: ['select', 'insert'] }
const needed = Object.values(schema).flatMap(table => {
  if (!is(table, PgTable)) return []
  const name = getTableName(table)
  return [{ name, privileges: leastOf[name] ?? ALL }]
})

/** The rights that the role lacks to serve; with `migrating` also those to change the schema. */
export async function missingRights(queries: Queries, migrating: boolean): Promise<Finding[]> {
  const [facts] = await queries.execute<Facts>(sql`
    select format('%I', current_user) as role, format('%I', current_database()) as database,
      has_schema_privilege('public', 'create') as may_create,
      has_database_privilege(current_database(), 'create') as may_create_schema,
      exists (select 1 from pg_namespace where nspname = 'drizzle') as has_drizzle`)
  const tables = await queries.execute<TableRights>(sql`
    select relname as name, nspname as schema, pg_has_role(relowner, 'usage') as owned,
      array_to_string(array(select right_ from unnest(${ALL_OF_THEM}) right_
        where not has_table_privilege(c.oid, right_)), ',') as lacks,
      has_schema_privilege(n.oid, 'usage') as visible
    from pg_class c join pg_namespace n on n.oid = relnamespace
    where relkind in ('r', 'p') and nspname in ('public', 'drizzle')`)
  if (!facts) return []
  return [
    ...tables.flatMap(table => rightsFault(table, facts, migrating)),
    ...(migrating ? creationFaults(facts) : []),
  ]
}

const ALL_OF_THEM = sql.raw(`array['${ALL.join("','")}']`)

interface Facts extends Record<string, unknown> {
  role: string
  database: string
  may_create: boolean
  may_create_schema: boolean
  has_drizzle: boolean
}
interface TableRights extends Record<string, unknown> {
  name: string
  schema: 'public' | 'drizzle'
  owned: boolean
  visible: boolean
  lacks: string
}

function rightsFault(
  { name, schema, owned, visible, lacks }: TableRights,
  { role }: Facts,
  migrating: boolean,
) {
  const ours = needed.find(table => table.name === name && schema === 'public')
  const privileges = schema === 'drizzle' ? ['select'] : ours?.privileges
  if (!privileges) return []
  const missing = privileges.filter(privilege => lacks.split(',').includes(privilege))
  const found: Finding[] = []
  if (!visible)
    found.push(finding(`${role} may not look into ${schema}`, `grant usage on schema ${schema} to ${role}`))
  if (missing.length) {
    const mend = `grant ${missing.join(', ')} on ${schema}.${name} to ${role}`
    found.push(finding(`${role} may not ${missing.join(', ')} on ${schema}.${name}`, mend))
  }
  if (migrating && !owned) {
    const mend = `alter table ${schema}.${name} owner to ${role}, or run \`faultline migrate\` as its owner`
    found.push(finding(`${schema}.${name}, which is to be migrated, belongs to another role`, mend))
  }
  return found
}

function creationFaults({ role, database, may_create, may_create_schema, has_drizzle }: Facts): Finding[] {
  const orOther = 'or run `faultline migrate` as a role that may'
  const found: Finding[] = []
  if (!may_create) {
    const mend = `grant create on schema public to ${role}, ${orOther}`
    found.push(finding(`${role} may not create tables in the schema public`, mend))
  }
  if (!may_create_schema && !has_drizzle) {
    const mend = `grant create on database ${database} to ${role}, ${orOther}`
    found.push(finding(`${role} may not create the schema that remembers migrations`, mend))
  }
  return found
}

const finding = (said: string, mend: string): Finding => ({ said, mend })
