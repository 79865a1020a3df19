import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eq, sql } from 'drizzle-orm'
import { loadBoard } from '../../server/board/board.ts'
import { connect, type Database } from '../../server/db/database.ts'
import { migrate } from '../../server/db/migrate.ts'
import { defects } from '../../server/db/schema.ts'
import { DefectBody } from '../../server/defects/model.ts'
import { type Report, reportDefect } from '../../server/defects/report.ts'
import { Refusal } from '../../server/errors.ts'
import { findOrCreateProject } from '../../server/projects/service.ts'
import { freshDatabase } from '../support/postgres.ts'

const board = loadBoard()
const pushed: string[] = []
const push = { later: ({ id }: { id: string }) => void pushed.push(id), drain: async () => {} }

let db: Database
let drop: () => Promise<void>
let good: Report
beforeAll(async () => {
  const database = await freshDatabase()
  const target = { kind: 'postgres', url: database.url } as const
  await migrate(target)
  db = connect(target)
  drop = database.drop
  const { project } = await findOrCreateProject(db, 'Hinge rework')
  good = {
    section_id: 'usb-port',
    project_id: project.id,
    verbatim: 'The shield is loose',
    reporter: 'alice@example.com',
  }
})
afterAll(async () => {
  await db.close()
  await drop()
})

const file = (changes: object) => reportDefect({ db, board, push }, { ...good, ...changes })
const stored = () => db.read(queries => queries.select().from(defects))

const bad: [string, object, string][] = [
  ['blank text', { verbatim: ' \u200b' }, 'verbatim'],
  ['a NUL', { verbatim: 'a\0b' }, 'verbatim'],
  ['half of a surrogate pair', { verbatim: 'a\ud800' }, 'verbatim'],
  ['5 001 characters', { verbatim: 'a'.repeat(5_001) }, 'verbatim'],
  ['no text', { verbatim: undefined }, 'verbatim'],
  ['text that is a number', { verbatim: 5 }, 'verbatim'],
  ['a section that is not on the board', { section_id: 'warp-drive' }, 'section_id'],
  ['a section that is a list', { section_id: ['usb-port'] }, 'section_id'],
  [
    'a project that is no UUID',
    { project_id: 'urn:uuid:0190a6e0-1c2d-7e3f-8a4b-5c6d7e8f9a0b' },
    'project_id',
  ],
  ['no reporter', { reporter: '' }, 'reporter'],
  ['a reporter with control characters', { reporter: 'a\u001b[31m' }, 'reporter'],
  ['a key with a space', { idempotency_key: 'a b' }, 'Idempotency-Key'],
  ['an empty key', { idempotency_key: '' }, 'Idempotency-Key'],
]
test.each(bad)(
  '%s is refused whoever reports it, and nothing is stored or pushed',
  async (_, changes, field) => {
    const refusal = await file(changes).catch(error => error)
    expect(refusal).toBeInstanceOf(Refusal)
    expect(refusal.faults.map((fault: { field: string }) => fault.field)).toEqual([field])
    expect(await stored()).toEqual([])
    expect(pushed).toEqual([])
  },
)

test('several faults are told together', async () => {
  const refusal = await file({ section_id: 'warp-drive', verbatim: '' }).catch(error => error)
  expect(refusal.faults.map((fault: { field: string }) => fault.field).sort()).toEqual([
    'section_id',
    'verbatim',
  ])
})

test('what a body says beyond its fields is not stored; what it says is stored in one form', async () => {
  const id = '0190a6e0-1c2d-7e3f-8a4b-5c6d7e8f9a0b'
  const { entry } = await file({
    id,
    created_at: '1999-01-01T00:00:00.000Z',
    project_id: good.project_id.toUpperCase(),
    verbatim: ' loose ',
  })
  expect(entry).toMatchObject({
    project_id: good.project_id,
    verbatim: 'loose',
    project_name: 'Hinge rework',
  })
  expect(entry.id).not.toBe(id)
  expect(Date.now() - Date.parse(entry.created_at)).toBeLessThan(3_600_000)
  expect(pushed).toEqual([entry.id])
})

test.each(Object.keys(DefectBody.properties) as (keyof DefectBody)[])(
  'a repeat under a key that differs in %s is another report',
  async name => {
    const { project } = await findOrCreateProject(db, 'Another')
    const other: Required<DefectBody> = {
      section_id: 'cpu',
      project_id: project.id,
      verbatim: 'Something else',
    }
    const idempotency_key = `key-${name}`
    const first = await file({ idempotency_key })
    expect(await file({ idempotency_key })).toEqual({ entry: first.entry, created: false })
    const refusal = await file({ idempotency_key, [name]: other[name] }).catch(error => error)
    expect(refusal).toMatchObject({ code: 'idempotency_key_reused' })
  },
)

test('a repeat under the same key is answered after a write of its own, so that a standby has it too', async () => {
  const again = { verbatim: 'Twice under one key', idempotency_key: 'twice' }
  const { entry } = await file(again)
  const version = () =>
    db.read(queries =>
      queries.select({ xmin: sql<string>`xmin` }).from(defects).where(eq(defects.id, entry.id)),
    )
  const before = await version()
  expect(await file(again)).toEqual({ entry, created: false })
  expect(await version()).not.toEqual(before)
})
