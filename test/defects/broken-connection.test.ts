import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eq, sql } from 'drizzle-orm'
import { loadBoard } from '../../server/board/board.ts'
import { defects, sectionTotals } from '../../server/db/schema.ts'
import { reportDefect } from '../../server/defects/report.ts'
import { findOrCreateProject } from '../../server/projects/service.ts'
import { type Cut, type CutDatabase, databaseToCut } from '../support/cut.ts'

const step = process.env.FAULTLINE_LONG ? 1 : 19
const LONGEST = 450
const cuts: Cut[] = (['client', 'server'] as const).flatMap(from =>
  Array.from({ length: Math.ceil(LONGEST / step) }, (_, i) => ({ from, bytes: i * step })),
)
const board = loadBoard()

describe.each(['postgres', 'embedded'] as const)('on %s', kind => {
  let cutting: CutDatabase
  let projectId: string
  beforeAll(async () => {
    cutting = await databaseToCut(kind)
    projectId = (await findOrCreateProject(cutting.direct, 'Cut')).project.id
  })
  afterAll(() => cutting.close())

  test('a report whose connection is cut anywhere is stored once, acknowledged and pushed once', async () => {
    const { db, direct, proxy } = cutting
    const pushed: string[] = []
    const push = { later: ({ id }: { id: string }) => void pushed.push(id), drain: async () => {} }
    let met = 0
    for (const [i, cut] of cuts.entries()) {
      // So that the cut meets the report and not the start of its connection.
      await db.read(queries => queries.execute(sql`select 1`))
      proxy.cutNext({ ...cut })
      const verbatim = `cut ${JSON.stringify(cut)}`
      const report = {
        section_id: 'cpu',
        project_id: projectId,
        verbatim,
        reporter: 'alice@example.com',
        idempotency_key: i % 2 ? `key-${i}` : null,
      }
      const { entry, created } = await reportDefect({ db, board, push }, report)
      if (proxy.wasCut()) met++
      expect({ cut, created }).toEqual({ cut, created: true })
      const stored = await direct.read(queries =>
        queries.select().from(defects).where(eq(defects.verbatim, verbatim)),
      )
      expect(stored.map(({ id }) => id)).toEqual([entry.id])
      expect(pushed.splice(0)).toEqual([entry.id])
    }
    expect(met).toBeGreaterThan(cuts.length / 4)
    const [counted] = await direct.read(queries =>
      queries
        .select({ sum: sql<number>`sum(${sectionTotals.count})::int` })
        .from(sectionTotals)
        .where(eq(sectionTotals.sectionId, 'cpu')),
    )
    expect(counted?.sum).toBe(cuts.length)
  }, 300_000)
})
