import { sectionCounts } from '../../server/defects/counts.ts'
import { range, type Step, stepOf, steps } from '../../server/steps.ts'
import type { Command } from '../command.ts'
import { openWithBoard } from '../terminal/database.ts'
import { labelOf } from '../terminal/entries.ts'
import type { Io } from '../terminal/io.ts'
import { checkNarrowing, narrowingOf, narrowingOption } from '../terminal/narrowing.ts'
import { bar, clip, columns, json, oneLine, padEnd, quantity, width } from '../terminal/print.ts'

interface Line {
  label: string
  count: number
  step: number
}

/** By step, as the map has colours. */
const MARKS = '·▁▃▄▆█'
const markOf = (step: number) => MARKS[step] ?? ''

export function counts(program: Command) {
  program
    .command('counts')
    .description('defects by section, worst first')
    .addOption(narrowingOption('project'))
    .addOption(narrowingOption('since'))
    .option('--json', 'the object that GET /api/defects/counts answers')
    .examples('faultline counts --since 7d', 'faultline counts --json | jq .power')
    .runs(async (io, options: Record<string, unknown>) => {
      const { db, board } = await openWithBoard(io)
      const narrowing = narrowingOf(options)
      await checkNarrowing(db, board, narrowing)
      const counted = await sectionCounts(db, board, narrowing)
      if (io.json) return io.print(json(counted))
      const scale = steps([...board.sections.keys()].map(id => counted[id] ?? 0))
      const lines = Object.entries(counted).map(([id, count]) => {
        return { label: labelOf(board, id), count, step: stepOf(count, scale) }
      })
      io.print(...draw(lines, scale, io))
    })
}

const LABEL_COLUMNS = 30
const BAR_COLUMNS = 40

function draw(lines: Line[], scale: Step[], { paint, screen }: Pick<Io, 'paint' | 'screen'>): string[] {
  const worstFirst = lines.toSorted((a, b) => b.count - a.count)
  const most = worstFirst[0]?.count ?? 0
  const total = worstFirst.reduce((sum, line) => sum + line.count, 0)
  const label = Math.min(LABEL_COLUMNS, Math.max(...worstFirst.map(line => width(oneLine(line.label)))))
  const room = Math.max(4, Math.min(BAR_COLUMNS, screen - label - String(most).length - 7))
  const rows = columns(
    worstFirst.map(line => [
      clip(line.label, label),
      String(line.count),
      markOf(line.step),
      bar(line.count, most, room),
    ]),
    [{}, { align: 'right', paint: paint.bold }, { paint: paint.warm }, { paint: paint.warm }],
    screen,
  )
  const legend = scale.map(step => `  ${markOf(step.step)} ${range(step)}`).join('')
  return [...rows, paint.dim(clip(`${padEnd('', label)}  ${quantity(total, 'defect')}${legend}`, screen))]
}
