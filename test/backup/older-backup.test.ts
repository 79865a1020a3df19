import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { restoreBackup, verifyBackup } from '../../server/backup/restore.ts'
import { completed, kinds, type Row } from '../../server/backup/tables.ts'
import { connect } from '../../server/db/database.ts'
import { migrate } from '../../server/db/migrate.ts'
import { projects } from '../../server/db/schema.ts'
import { openEmbedded } from '../../server/embedded/postgres.ts'
import { silentLog } from '../../server/log.ts'
import { contents } from '../support/contents.ts'
import { freshDatabase } from '../support/postgres.ts'

/** Written by the executable of 0.1.0 through its own interface: odd texts, keys, a device. */
const file = join(import.meta.dir, '../fixtures/backup-0.1.0.ndjson.gz')
const home = mkdtempSync(join(tmpdir(), 'faultline-older-backup-'))
afterAll(() => rmSync(home, { recursive: true }))

type Line = Partial<Record<keyof typeof kinds, Row>>
const lines: Line[] = gunzipSync(await Bun.file(file).bytes())
  .toString()
  .trimEnd()
  .split('\n')
  .slice(1, -1)
  .map(line => JSON.parse(line))

/** What the file says of a kind, in the order of its first column. */
const written = (kind: keyof typeof kinds) => {
  const rows = lines.flatMap(line => (line[kind] ? [line[kind]] : []))
  const first = (row: Row) => String(Object.values(row)[0])
  return rows.toSorted((a, b) => (first(a) < first(b) ? -1 : 1))
}

/** A row as the database has it, its columns named and written as in a backup. */
const asWritten = (kind: keyof typeof kinds) => (row: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(row).map(([property, value]) => [
      (kinds[kind].table as unknown as Record<string, { name: string }>)[property]!.name,
      value instanceof Date ? value.toISOString() : value,
    ]),
  )

async function embedded() {
  const database = await openEmbedded(join(home, 'data'), silentLog)
  return {
    target: { kind: 'embedded', socketPath: database.socketPath } as const,
    end: () => database.close(),
  }
}

async function postgres() {
  const { url, drop } = await freshDatabase()
  return { target: { kind: 'postgres', url } as const, end: drop }
}

test.each([
  ['PostgreSQL', postgres],
  ['the embedded database', embedded],
])('a backup of 0.1.0 comes back on %s, row for row, with the counts', async (_, open) => {
  const { target, end } = await open()
  await migrate(target)
  const db = connect(target)
  await restoreBackup(db, file, await verifyBackup(file))
  const found = await contents(db)
  expect(found.projects.map(asWritten('project'))).toMatchObject(written('project'))
  expect(found.defects.map(asWritten('defect'))).toMatchObject(written('defect'))
  expect(found.devices.map(asWritten('device'))).toMatchObject(written('device'))
  expect([found.projects, found.defects, found.devices].map(rows => rows.length)).toEqual([2, 24, 1])
  expect(found.totals).toEqual({ 'usb-port': 6, cpu: 6, ethernet: 6, 'audio-jack': 6 })
  await db.close()
  await end()
})

test('a row of an older format gets what its field says, and one of the format that has the field stays', () => {
  const columns = [
    { column: projects.id, since: 1, before: null },
    { column: projects.name, since: 2, before: 'normal' },
  ]
  expect(completed({ id: 'x' }, columns, 1)).toEqual({ id: 'x', name: 'normal' })
  expect(completed({ id: 'x', name: 'high' }, columns, 2)).toEqual({ id: 'x', name: 'high' })
})
