import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { drizzle } from 'drizzle-orm/postgres-js'
import { migrate } from 'drizzle-orm/postgres-js/migrator'
import postgres from 'postgres'
import { assets } from '../../server/assets.ts'
import { freshDatabase } from './postgres.ts'

/** How many of the migrations a released version knew. */
const released = { '0.1.0': 2 }

/** A PostgreSQL as an older version left it: its schema, and nothing in it. */
export async function olderDatabase(version: keyof typeof released) {
  const database = await freshDatabase()
  const migrationsFolder = mkdtempSync(join(tmpdir(), 'faultline-older-'))
  cpSync(assets.migrations, migrationsFolder, { recursive: true })
  const file = join(migrationsFolder, 'meta/_journal.json')
  const journal = JSON.parse(readFileSync(file, 'utf8')) as { entries: unknown[] }
  writeFileSync(file, JSON.stringify({ ...journal, entries: journal.entries.slice(0, released[version]) }))
  const sql = postgres(database.url, { max: 1, onnotice() {} })
  await migrate(drizzle(sql), { migrationsFolder })
  await sql.end()
  rmSync(migrationsFolder, { recursive: true })
  return database
}
