import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { loadBoard } from '../../server/board/board.ts'
import type { Target } from '../../server/db/client.ts'
import { connect, type Database } from '../../server/db/database.ts'
import { projects } from '../../server/db/schema.ts'
import { type Report, reportDefect } from '../../server/defects/report.ts'
import { Refusal } from '../../server/errors.ts'
import { findOrCreateProject } from '../../server/projects/service.ts'
import { contents } from '../support/contents.ts'
import { emptyDatabase } from '../support/database.ts'

const board = loadBoard()
const NOBODYS = '0190a6e0-1c2d-7e3f-8a4b-5c6d7e8f9a0b'
const long = process.env.FAULTLINE_LONG === '1'
const MANY = long ? 10_000 : 1_200
const SHARED_KEYS = long ? 200 : 40

const pushed: string[] = []
const push = { later: ({ id }: { id: string }) => void pushed.push(id), drain: async () => {} }

describe.each(['postgres', 'embedded'] as const)('on %s', kind => {
  let target: Target
  let instances: [Database, Database]
  let projectId: string
  let remove: () => Promise<void>
  beforeAll(async () => {
    ;({ target, remove } = await emptyDatabase(kind))
    instances = [connect(target), connect(target)]
    projectId = (await findOrCreateProject(instances[0], 'Batches')).project.id
  })
  afterAll(async () => {
    for (const instance of instances) await instance.close()
    await remove()
  })

  const file = (changed: Partial<Report>, db = instances[0]) =>
    reportDefect(
      { db, board, push },
      {
        section_id: 'cpu',
        project_id: projectId,
        verbatim: 'The shield is loose',
        reporter: 'alice@example.com',
        ...changed,
      },
    )

  /** Status as the wire has it, or the code of the refusal. */
  const outcomeOf = (filing: Promise<{ created: boolean }>) =>
    filing.then(
      ({ created }) => (created ? 201 : 200),
      error => (error instanceof Refusal ? error.code : error),
    )

  test('in a batch with every kind of bad report each has its own outcome', async () => {
    const before = await contents(instances[0])
    const { entry } = await file({ verbatim: 'earlier', idempotency_key: 'earlier' })
    const reports: [Partial<Report>, unknown][] = [
      [{ verbatim: 'good' }, 201],
      [{ verbatim: 'good too' }, 201],
      [{ project_id: NOBODYS }, 'unknown_project'],
      [{ project_id: NOBODYS, idempotency_key: 'unused' }, 'unknown_project'],
      [{ verbatim: 'earlier', idempotency_key: 'earlier' }, 200],
      [{ verbatim: 'not what was said', idempotency_key: 'earlier' }, 'idempotency_key_reused'],
      [{ verbatim: 'earlier', project_id: NOBODYS, idempotency_key: 'earlier' }, 'idempotency_key_reused'],
      [{ verbatim: 'of another', reporter: 'bob@example.com', idempotency_key: 'earlier' }, 201],
      [{ verbatim: 'twin', idempotency_key: 'twin' }, 201],
      [{ verbatim: 'twin', idempotency_key: 'twin' }, 200],
      [{ verbatim: 'no twin', idempotency_key: 'twin' }, 'idempotency_key_reused'],
      [{ verbatim: '' }, 'invalid_body'],
      [{ section_id: 'warp-drive' }, 'invalid_body'],
      [{ idempotency_key: 'a b' }, 'invalid_header'],
      [{ verbatim: '"quoted\\", {a,b}, \u{1f600}, \ud7ff \u2028', idempotency_key: '{"a":1},\\' }, 201],
    ]
    pushed.length = 0
    const filings = reports.map(([changed]) => file(changed))
    expect(await Promise.all(filings.map(outcomeOf))).toEqual(reports.map(([, outcome]) => outcome))
    expect((await filings[4]!).entry).toEqual(entry)
    expect((await filings[9]!).entry).toEqual((await filings[8]!).entry)
    const created = reports.flatMap(([, outcome], i) => (outcome === 201 ? [filings[i]!] : []))
    const entries = (await Promise.all(created)).map(filing => filing.entry)
    expect(pushed.toSorted()).toEqual(entries.map(({ id }) => id).toSorted())
    const { defects, totals } = await contents(instances[0])
    expect(defects.length - before.defects.length).toBe(entries.length + 1)
    expect((totals.cpu ?? 0) - (before.totals.cpu ?? 0)).toBe(entries.length + 1)
    for (const { id, verbatim, created_at, project_name } of entries) {
      const row = defects.find(row => row.id === id)
      expect([verbatim, created_at]).toEqual([row!.verbatim, row!.createdAt.toISOString()])
      expect(project_name).toBe('Batches')
    }
  })

  test('an entry names its project as it is called when it is stored', async () => {
    const { project } = await findOrCreateProject(instances[0], 'Before')
    await file({ project_id: project.id })
    await instances[1].write(queries =>
      queries.update(projects).set({ name: 'After' }).where(eq(projects.id, project.id)),
    )
    expect((await file({ project_id: project.id })).entry.project_name).toBe('After')
  })

  test('many reports at once on two instances, some keys used on both: one of each key is stored, counts are exact', async () => {
    const before = await contents(instances[0])
    const twins = Array.from({ length: SHARED_KEYS }, (_, i) => ({
      verbatim: `key ${i}`,
      idempotency_key: `shared-${i}`,
    }))
    const others = Array.from({ length: MANY - 2 * SHARED_KEYS }, (_, i) => ({
      verbatim: `report ${i}`,
      section_id: [...board.sections.keys()][i % board.sections.size]!,
      idempotency_key: i % 3 ? null : `own-${i}`,
    }))
    const spread = [
      ...twins,
      ...others.slice(0, others.length / 2),
      ...twins.toReversed(),
      ...others.slice(others.length / 2),
    ]
    pushed.length = 0
    const filed = await Promise.all(
      spread.map((changed, i) => file(changed, instances[i < spread.length / 2 ? 0 : 1])),
    )
    expect(filed.filter(({ created }) => created)).toHaveLength(MANY - SHARED_KEYS)
    for (const { verbatim } of twins) {
      const both = filed.filter(({ entry }) => entry.verbatim === verbatim)
      expect(both.map(({ created }) => created).toSorted()).toEqual([false, true])
      expect(both[0]!.entry).toEqual(both[1]!.entry)
    }
    const after = await contents(instances[0])
    const known = new Set(before.defects.map(({ id }) => id))
    const ids = after.defects.map(({ id }) => id).filter(id => !known.has(id))
    expect(ids).toEqual([...new Set(filed.map(({ entry }) => entry.id))].toSorted())
    expect(pushed.toSorted()).toEqual(ids)
    const counted = (of: typeof after) => Object.values(of.totals).reduce((a, b) => a + b, 0)
    expect(counted(after)).toBe(after.defects.length)
  }, 300_000)
})
