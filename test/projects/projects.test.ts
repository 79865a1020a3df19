import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connect, type Database } from '../../server/db/database.ts'
import { migrate } from '../../server/db/migrate.ts'
import { Refusal } from '../../server/errors.ts'
import { findOrCreateProject, listProjects } from '../../server/projects/service.ts'
import { freshDatabase } from '../support/postgres.ts'

let db: Database
let drop: () => Promise<void>
beforeAll(async () => {
  const database = await freshDatabase()
  const target = { kind: 'postgres', url: database.url } as const
  await migrate(target)
  db = connect(target)
  drop = database.drop
})
afterAll(async () => {
  await db.close()
  await drop()
})

const bad: [string, unknown][] = [
  ['blank', ' \u200b'],
  ['121 characters long', 'a'.repeat(121)],
  ['with a NUL', 'a\0b'],
  ['with a line break', 'a\nb'],
  ['with half of a surrogate pair', 'a\ud800'],
  ['that is a number', 5],
  ['that is missing', undefined],
]
test.each(bad)('a name %s makes no project, whoever asks', async (_, name) => {
  const refusal = await findOrCreateProject(db, name as string).catch(error => error)
  expect(refusal).toBeInstanceOf(Refusal)
  expect(refusal).toMatchObject({ code: 'invalid_body', faults: [{ field: 'name' }] })
  expect(await listProjects(db)).toEqual([])
})
