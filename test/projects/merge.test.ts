import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { loadBoard } from '../../server/board/board.ts'
import { connect, type Database } from '../../server/db/database.ts'
import { defects, projects } from '../../server/db/schema.ts'
import { projectCounts } from '../../server/defects/counts.ts'
import { rebuildCounts } from '../../server/defects/recount.ts'
import { type Report, reportDefect } from '../../server/defects/report.ts'
import { Refusal } from '../../server/errors.ts'
import { mergeProjects, NotMergeable } from '../../server/projects/merge.ts'
import {
  findOrCreateProject,
  findProject,
  projectsWithCounts,
  renameProject,
} from '../../server/projects/service.ts'
import { contents } from '../support/contents.ts'
import { emptyDatabase } from '../support/database.ts'

const board = loadBoard()
const push = { later() {}, drain: async () => {} }

describe.each(['postgres', 'embedded'] as const)('on %s', kind => {
  let db: Database
  let remove: () => Promise<void>
  beforeAll(async () => {
    const database = await emptyDatabase(kind)
    remove = database.remove
    db = connect(database.target)
  })
  afterAll(async () => {
    await db.close()
    await remove()
  })

  const project = async (name: string) => (await findOrCreateProject(db, name)).project.id
  const file = (project_id: string, more: Partial<Report> = {}) =>
    reportDefect(
      { db, board, push },
      { section_id: 'cpu', project_id, verbatim: 'Loose', reporter: 'alice@example.com', ...more },
    )
  const refusal = (work: Promise<unknown>) =>
    work.then(
      () => undefined,
      error => (error instanceof Refusal ? error.code : error),
    )
  const ofProject = (id: string) =>
    db.read(async queries => queries.select().from(defects).where(eq(defects.projectId, id)))

  test('a merge moves every defect and every counter, and the project is gone', async () => {
    const [from, into] = [await project('Hinge rework'), await project('Hinge')]
    for (const section_id of ['cpu', 'cpu', 'ethernet']) await file(from, { section_id })
    await file(into)
    const before = await contents(db)
    await mergeProjects(db, from, into)
    expect(await rebuildCounts(db)).toEqual([])
    expect(await projectsWithCounts(db)).toMatchObject([{ id: into, name: 'Hinge', defects: 4 }])
    expect(await projectCounts(db)).toEqual({ [into]: 4 })
    const moved = before.defects.map(defect => ({ ...defect, projectId: into }))
    expect((await contents(db)).defects).toEqual(moved)
    expect(await refusal(file(from))).toBe('unknown_project')
  })

  test('a report that is sent again under the id that went is known, through one merge after another', async () => {
    const [a, b, c] = [await project('A'), await project('B'), await project('C')]
    const sent = await file(a, { idempotency_key: 'again' })
    await mergeProjects(db, a, b)
    await mergeProjects(db, b, c)
    for (const id of [a, b, c]) {
      const again = await file(id, { idempotency_key: 'again' })
      expect(again).toEqual({
        created: false,
        entry: { ...sent.entry, project_id: c, project_name: 'C' },
      })
    }
    expect(await refusal(file(a, { idempotency_key: 'again', verbatim: 'Other' }))).toBe(
      'idempotency_key_reused',
    )
    expect(await refusal(file(a, { idempotency_key: 'new' }))).toBe('unknown_project')
  })

  test('whatever is filed during a merge is stored or told why not, and nothing is lost', async () => {
    const [from, into] = [await project('Goes'), await project('Stays')]
    for (let i = 0; i < 50; i++) await file(from)
    const under = async (id: string) => {
      const ids: string[] = []
      for (let i = 0; i < 60; i++) {
        const outcome = await file(id).catch(error => error)
        if (outcome instanceof Error)
          expect(outcome).toMatchObject({ code: expect.stringMatching(/project/) })
        else ids.push(outcome.entry.id)
      }
      return ids
    }
    const [gone, stayed] = await Promise.all([under(from), under(into), mergeProjects(db, from, into)])
    expect(stayed).toHaveLength(60)
    const found = (await ofProject(into)).map(({ id }) => id)
    expect(found).toEqual(expect.arrayContaining([...gone, ...stayed]))
    expect(found).toHaveLength(50 + gone.length + stayed.length)
    expect(await ofProject(from)).toEqual([])
    expect(await rebuildCounts(db)).toEqual([])
  })

  test('two merges into each other leave one of the two, with all', async () => {
    const [left, right] = [await project('Left'), await project('Right')]
    await file(left)
    await file(right)
    const merges = [mergeProjects(db, left, right), mergeProjects(db, right, left)]
    const outcomes = await Promise.allSettled(merges)
    const refused = outcomes.flatMap(outcome => (outcome.status === 'rejected' ? [outcome.reason] : []))
    expect(refused).toEqual([expect.any(NotMergeable)])
    const [found] = [await findProject(db, 'Left'), await findProject(db, 'Right')].filter(Boolean)
    expect(found?.defects).toBe(2)
    expect(await rebuildCounts(db)).toEqual([])
  })

  test('a project is not merged into itself, nor into one that is not there', async () => {
    const id = await project('Alone')
    await file(id)
    await expect(async () => mergeProjects(db, id, id)).toThrow(NotMergeable)
    await expect(mergeProjects(db, id, crypto.randomUUID())).rejects.toThrow(NotMergeable)
    expect((await findProject(db, id))?.defects).toBe(1)
  })

  test('a project gets another name, or the same in other letters, and never that of another one', async () => {
    const id = await project('Old name')
    await project('Taken')
    expect(await renameProject(db, id, ' New name ')).toEqual({ id, name: 'New name' })
    expect(await renameProject(db, id, 'NEW NAME')).toEqual({ id, name: 'NEW NAME' })
    expect(await refusal(renameProject(db, id, 'tAKEN'))).toBe('invalid_body')
    expect(await refusal(renameProject(db, id, ' '))).toBe('invalid_body')
    expect(await renameProject(db, crypto.randomUUID(), 'Nobody')).toBeUndefined()
    expect(await findProject(db, 'new NAME')).toMatchObject({ id, defects: 0 })
  })
})

test('while a project is being merged only the reports for it have to come again', async () => {
  const { target, remove } = await emptyDatabase('postgres')
  const [db, other] = [connect(target), connect(target)]
  const [going, staying] = [await findOrCreateProject(db, 'Going'), await findOrCreateProject(db, 'Staying')]
  const file = ({ project }: typeof going) =>
    reportDefect(
      { db, board, push },
      { section_id: 'cpu', project_id: project.id, verbatim: 'Loose', reporter: 'alice@example.com' },
    )
  const outcomes = await other.transaction(async queries => {
    await queries.select().from(projects).where(eq(projects.id, going.project.id)).for('update')
    return Promise.allSettled([file(going), file(staying), file(going), file(staying)])
  })
  expect(outcomes.map(outcome => (outcome.status === 'rejected' ? outcome.reason.code : 'stored'))).toEqual([
    'project_busy',
    'stored',
    'project_busy',
    'stored',
  ])
  await db.close()
  await other.close()
  await remove()
})
