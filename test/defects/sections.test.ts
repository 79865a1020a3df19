import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { parseBoard } from '../../server/board/board.ts'
import { connect, type Database } from '../../server/db/database.ts'
import { sections } from '../../server/db/schema.ts'
import { rememberSections, withMemory } from '../../server/defects/sections.ts'
import { findOrCreateProject } from '../../server/projects/service.ts'
import { emptyDatabase } from '../support/database.ts'
import { fileDefects } from '../support/defects.ts'

const drawing = (labels: Record<string, string>) =>
  parseBoard(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 100">${Object.entries(labels).map(
      ([id, label]) => `<rect data-section="${id}" data-label="${label}" width="80" height="80"/>`,
    )}</svg>`,
  )

describe.each(['postgres', 'embedded'] as const)('on %s', kind => {
  let db: Database
  let remove: () => Promise<void>
  let today: string
  beforeAll(async () => {
    const database = await emptyDatabase(kind)
    remove = database.remove
    db = connect(database.target)
    const { project } = await findOrCreateProject(db, 'Hinge')
    for (const sectionId of ['pump', 'valve', 'unknown'])
      await fileDefects(db, 1, { projectId: project.id, sectionId })
    today = new Date().toISOString().slice(0, 10)
  })
  afterAll(async () => {
    await db.close()
    await remove()
  })

  const shown = async (board: ReturnType<typeof drawing>) => {
    await rememberSections(db, board)
    return withMemory(db, board)
  }

  test('a section that left the board keeps its last label, and the picture tells it', async () => {
    await shown(drawing({ pump: 'Pump', valve: 'Valve', seal: 'Seal' }))
    await shown(drawing({ pump: 'Pump &lt;2&gt; &quot;&amp;&quot;', valve: 'Valve' }))
    const board = await shown(drawing({ valve: 'Valve' }))
    expect([...board.retired.values()]).toEqual([
      { id: 'pump', label: 'Pump <2> "&"', firstDay: today, lastDay: today },
    ])
    expect(board.svg).toEndWith(
      `<desc data-retired="pump" data-label="Pump &lt;2&gt; &quot;&amp;&quot;" data-first="${today}" data-last="${today}"/></svg>`,
    )
  })

  test('one that comes back is retired no more, under the label that it has now', async () => {
    const board = await shown(drawing({ pump: 'Water pump', valve: 'Valve' }))
    expect(board.retired.size).toBe(0)
    expect(board.svg).not.toContain('data-retired')
    const again = await shown(drawing({ valve: 'Valve' }))
    expect(again.retired.get('pump')?.label).toBe('Water pump')
  })

  test('a label that no drawing could have is not told to the page', async () => {
    await db.write(queries => queries.update(sections).set({ label: 'bell \u0007' }))
    const board = await withMemory(db, drawing({ other: 'Other' }))
    expect(board.retired.size).toBe(0)
    expect(board.svg).not.toContain('data-retired')
  })
})
