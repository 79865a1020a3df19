import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { loadBoard } from '../../server/board/board.ts'
import { type Report, reportDefect } from '../../server/defects/report.ts'
import { findOrCreateProject } from '../../server/projects/service.ts'
import { contents } from '../support/contents.ts'
import { type Cut, type CutDatabase, databaseToCut } from '../support/cut.ts'

const board = loadBoard()
const BATCH = 5
/** About what passes for them in each direction. */
const lengths = { client: 1_250, server: 700 }
const step = process.env.FAULTLINE_LONG ? 1 : 47
const cuts: Cut[] = (['client', 'server'] as const).flatMap(from =>
  Array.from({ length: Math.ceil(lengths[from] / step) }, (_, i) => ({ from, bytes: i * step })),
)

describe.each(['postgres', 'embedded'] as const)('on %s', kind => {
  let cutting: CutDatabase
  let projectId: string
  beforeAll(async () => {
    cutting = await databaseToCut(kind)
    projectId = (await findOrCreateProject(cutting.direct, 'Cut')).project.id
  })
  afterAll(() => cutting.close())

  test('batches whose connections are cut anywhere are stored once, each report acknowledged and pushed once', async () => {
    const { db, direct, proxy } = cutting
    const pushed: string[] = []
    const push = { later: ({ id }: { id: string }) => void pushed.push(id), drain: async () => {} }
    const acknowledged: string[] = []
    let met = 0
    for (const [i, cut] of cuts.entries()) {
      // So that the cut meets a batch and not the start of its connection.
      await db.read(queries => queries.execute('select 1'))
      proxy.cutNext({ ...cut })
      const reports = Array.from({ length: BATCH }, (_, n): Report => {
        const key = n % 2 ? `key-${i}-${n}` : null
        return {
          section_id: 'cpu',
          project_id: projectId,
          verbatim: `cut ${i}, report ${n}`,
          reporter: 'alice@example.com',
          idempotency_key: key,
        }
      })
      const answers = await Promise.all(reports.map(report => reportDefect({ db, board, push }, report)))
      if (proxy.wasCut()) met++
      expect({ cut, created: answers.map(({ created }) => created) }).toEqual({
        cut,
        created: reports.map(() => true),
      })
      expect(answers.map(({ entry }) => entry.verbatim)).toEqual(reports.map(({ verbatim }) => verbatim))
      acknowledged.push(...answers.map(({ entry }) => entry.id))
    }
    expect(met).toBeGreaterThan(cuts.length / 3)
    const { defects, totals, days } = await contents(direct)
    expect(defects.map(({ id }) => id)).toEqual(acknowledged.toSorted())
    expect(pushed.toSorted()).toEqual(acknowledged.toSorted())
    expect(totals).toEqual({ cpu: acknowledged.length })
    expect(Object.values(days).reduce((a, b) => a + b, 0)).toBe(acknowledged.length)
  }, 600_000)
})
