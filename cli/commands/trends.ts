import { Option } from 'commander'
import type { Board } from '../../server/board/board.ts'
import type { Trends } from '../../server/defects/model.ts'
import { narrowings } from '../../server/defects/narrowing.ts'
import { sectionTrends } from '../../server/defects/trends.ts'
import { buckets, total } from '../../server/series.ts'
import type { Command } from '../command.ts'
import { openWithBoard } from '../terminal/database.ts'
import { labelOf } from '../terminal/entries.ts'
import type { Io } from '../terminal/io.ts'
import { checkNarrowing, narrowingOf, narrowingOption, ruled } from '../terminal/narrowing.ts'
import { clip, columns, json, oneLine, quantity, sparkline } from '../terminal/print.ts'

interface Options extends Record<string, unknown> {
  days: string
}

export function trends(program: Command) {
  program
    .command('trends')
    .description('how many defects each section had day by day, and the change against the span before')
    .addOption(
      new Option('--days <days>', 'today and the days before (days begin at 0:00 UTC)')
        .argParser(ruled(narrowings.since.value))
        .default('30d'),
    )
    .addOption(narrowingOption('project'))
    .option('--json', 'the object that GET /api/defects/trends answers, and "change" by section')
    .examples('faultline trends --days 7d', 'faultline trends --json | jq .change')
    .runs(async (io, options: Options) => {
      const { db, board } = await openWithBoard(io)
      const narrowing = narrowingOf(options)
      await checkNarrowing(db, board, narrowing)
      const days = Number.parseInt(options.days, 10)
      const span = (back: number) => sectionTrends(db, board, { ...narrowing, days, back })
      const [now, before] = [await span(0), await span(days)]
      const change = changeOf(now, before)
      io.print(...(io.json ? [json({ ...now, change })] : draw(now, change, board, io)))
    })
}

const sumOf = ({ sections }: Trends, id: string) => total(sections[id] ?? [])

/** Of every section that had defects in one of the two. */
function changeOf(now: Trends, before: Trends): Record<string, number> {
  const ids = new Set([...Object.keys(now.sections), ...Object.keys(before.sections)])
  return Object.fromEntries([...ids].map(id => [id, sumOf(now, id) - sumOf(before, id)]))
}

const LABEL_COLUMNS = 30

function draw(
  now: Trends,
  change: Record<string, number>,
  board: Board,
  { paint, screen }: Pick<Io, 'paint' | 'screen'>,
): string[] {
  const ids = Object.keys(change).toSorted((a, b) => sumOf(now, b) - sumOf(now, a))
  const rows = ids.map(id => {
    const points = buckets(now.from, now.sections[id] ?? [])
    const label = clip(oneLine(labelOf(board, id)), LABEL_COLUMNS)
    return [label, String(sumOf(now, id)), sparkline(points.map(({ count }) => count)), arrow(change[id]!)]
  })
  const layout = [{}, { align: 'right', paint: paint.bold }, { paint: paint.warm }, {}] as const
  const sum = ids.reduce((sum, id) => sum + sumOf(now, id), 0)
  const said = `${quantity(sum, 'defect')} since ${now.from}, against the ${quantity(now.days, 'day')} before`
  return [...columns(rows, [...layout], screen), paint.dim(clip(said, screen))]
}

const arrow = (change: number) => (change ? `${change > 0 ? '▲' : '▼'} ${Math.abs(change)}` : '')
