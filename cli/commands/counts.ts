import { type CountsNarrowing, sectionCounts } from '../../server/defects/counts.ts'
import type { Command } from '../command.ts'
import { openWithBoard } from '../terminal/database.ts'
import { labelOf } from '../terminal/entries.ts'
import type { Io } from '../terminal/io.ts'
import { narrowingOption } from '../terminal/narrowing.ts'
import { bar, clip, columns, json, oneLine, padEnd, quantity, width } from '../terminal/print.ts'

interface Line {
  label: string
  count: number
}

export function counts(program: Command) {
  program
    .command('counts')
    .description('defects by section, worst first')
    .addOption(narrowingOption('since'))
    .option('--json', 'the object that GET /api/defects/counts answers')
    .examples('faultline counts --since 7d', 'faultline counts --json | jq .power')
    .runs(async (io, options: CountsNarrowing) => {
      const { db, board } = await openWithBoard(io)
      const counted = await sectionCounts(db, board, options)
      if (io.json) return io.print(json(counted))
      const lines = Object.entries(counted).map(([id, count]) => ({ label: labelOf(board, id), count }))
      io.print(...draw(lines, io))
    })
}

const LABEL_COLUMNS = 30
const BAR_COLUMNS = 40

function draw(lines: Line[], { paint, screen }: Pick<Io, 'paint' | 'screen'>): string[] {
  const worstFirst = lines.toSorted((a, b) => b.count - a.count)
  const most = worstFirst[0]?.count ?? 0
  const total = worstFirst.reduce((sum, line) => sum + line.count, 0)
  const label = Math.min(LABEL_COLUMNS, Math.max(...worstFirst.map(line => width(oneLine(line.label)))))
  const room = Math.max(4, Math.min(BAR_COLUMNS, screen - label - String(most).length - 4))
  const rows = columns(
    worstFirst.map(line => [clip(line.label, label), String(line.count), bar(line.count, most, room)]),
    [{}, { align: 'right', paint: paint.bold }, { paint: paint.warm }],
    screen,
  )
  return [...rows, paint.dim(`${padEnd('', label)}  ${quantity(total, 'defect')}`)]
}
