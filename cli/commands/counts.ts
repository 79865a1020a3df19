import type { Command } from 'commander'
import { loadBoard } from '../../server/board/board.ts'
import { readDataConfig } from '../../server/config/read.ts'
import { type CountsNarrowing, sectionCounts } from '../../server/defects/counts.ts'
import { examples } from '../program.ts'
import { run } from '../run.ts'
import { open } from '../terminal/database.ts'
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
    .addHelpText('after', examples('faultline counts --since 7d', 'faultline counts --json | jq .power'))
    .action((options: CountsNarrowing, command: Command) =>
      run(command, async io => {
        const config = readDataConfig(io.env)
        const board = loadBoard(config.boardFile)
        const counted = await sectionCounts(await open(io, config), board, options)
        if (io.json) return io.print(json(counted))
        const lines = Object.entries(counted).map(([id, count]) => ({
          label: labelOf(board, id),
          count,
        }))
        for (const line of draw(lines, io)) io.print(line)
      }),
    )
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
