import { expect, test } from 'bun:test'
import { type Migration, readMigrations } from '../../server/db/migrate.ts'

/** What was released with 0.1.0 was made on empty databases; everything later runs on full ones, beside its users. */
const FIRST_ON_FULL = 2

/** Why a statement would hold up whoever files or reads meanwhile; undefined when it does not. */
function fault(statement: string): string | undefined {
  const text = statement.replace(/--.*$/gm, '').replace(/\s+/g, ' ').trim().toLowerCase()
  const concurrent = /\bindex concurrently\b/.test(text)
  if (/^create (unique )?index/.test(text) && !/concurrently if not exists/.test(text))
    return 'write: create index concurrently if not exists'
  if (/^drop index/.test(text) && !/concurrently if exists/.test(text))
    return 'write: drop index concurrently if exists'
  if (concurrent || !/^alter table/.test(text))
    return /^(vacuum full|cluster|reindex|truncate|update|delete)\b/.test(text) || locksReaders(text)
      ? 'changes or locks a whole table in one transaction'
      : undefined
  if (/\b(set data type|alter column \S+ type)\b/.test(text)) return 'a change of type writes the table anew'
  if (/\bset not null\b/.test(text))
    return 'reads the whole table under a lock: check (… is not null) not valid first'
  if (/\badd (constraint|check|foreign|unique|primary)\b/.test(text) && !/not valid|using index/.test(text))
    return 'reads the whole table under a lock: add it as not valid, or using an index'
  if (
    /\badd column\b.*\b(default (?!(true|false|null|-?\d+|'))|generated|serial|references|unique|primary)/.test(
      text,
    )
  )
    return 'a column whose values have to be computed writes the table anew'
  return undefined
}

/** What only writers wait for may be, if little is done under it: test/db/migration-locks.test.ts. */
const locksReaders = (text: string) =>
  /^lock table\b/.test(text) && !/ in share row exclusive mode;?$/.test(text)

function faults({ name, sql }: Pick<Migration, 'name' | 'sql'>): string[] {
  const made = new Set(sql.flatMap(statement => /^\s*create table "?(\w+)/i.exec(statement)?.[1] ?? []))
  const found = sql.flatMap(statement => {
    const [, table = ''] = /^\s*(?:alter table|create .*index .*? on) "?(\w+)/i.exec(statement) ?? []
    const reason = made.has(table) ? undefined : fault(statement)
    return reason ? [`${name}: ${statement.trim().slice(0, 60)}: ${reason}`] : []
  })
  const concurrent = sql.filter(statement => /\bindex\s+concurrently\b/i.test(statement)).length
  if (concurrent && concurrent < sql.length)
    found.push(`${name}: what runs outside a transaction stands alone`)
  return found
}

test('no migration since 0.1.0 holds up requests', () => {
  expect(readMigrations().slice(FIRST_ON_FULL).flatMap(faults)).toEqual([])
})

const bad = [
  'create index i on defects (reporter)',
  'CREATE UNIQUE INDEX CONCURRENTLY i ON defects (reporter)',
  'drop index i',
  'alter table defects alter column verbatim type varchar(10)',
  'alter table defects alter column a set not null',
  'alter table defects add constraint c check (a > 0)',
  'alter table defects add column a uuid default gen_random_uuid()',
  'update defects set a = 1',
  'lock table defects',
  'lock table defects in access exclusive mode',
]
test.each(bad)('a migration with "%s" would be found', statement => {
  expect(faults({ name: 'next', sql: [statement] })).toHaveLength(1)
})

const good = [
  'create index concurrently if not exists i on defects (reporter)',
  `alter table defects add column severity text default 'normal' not null`,
  'alter table defects add constraint c check (a > 0) not valid',
  'alter table defects validate constraint c',
  'create table tags (id uuid primary key, name text not null unique)',
  'lock table defects in share row exclusive mode',
]
test.each(good)('a migration with "%s" may be', statement => {
  expect(faults({ name: 'next', sql: [statement] })).toEqual([])
})

test('a table that the migration itself makes is used by nobody yet', () => {
  const sql = [
    'create table "tags" (id uuid primary key)',
    'CREATE INDEX "tags_id" ON "tags" USING btree ("id")',
  ]
  expect(faults({ name: 'next', sql })).toEqual([])
})

test('an index that is built outside a transaction has a migration of its own', () => {
  const sql = ['create index concurrently if not exists i on defects (reporter)', 'select 1']
  expect(faults({ name: 'next', sql })).toHaveLength(1)
})
