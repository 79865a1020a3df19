import type { Board } from '../../server/board/board.ts'
import type { FeedEntry } from '../../server/defects/entry.ts'
import type { Io } from './io.ts'
import { ago, clip, clock, oneLine, padEnd, width } from './print.ts'

type Screen = Pick<Io, 'paint' | 'screen' | 'interactive'>

export const labelOf = (board: Board, id: string) =>
  board.sections.get(id)?.label ?? `${board.retired.get(id)?.label ?? id} (retired)`

/** For other programs: one line a defect, fields between tabs. */
export const tabbed = (entry: FeedEntry) =>
  [entry.created_at, entry.section_id, entry.project_name, entry.reporter, entry.verbatim]
    .map(oneLine)
    .join('\t')

const WHEN_COLUMNS = 13
const MOST_LINES = 6

/** For reading: when, where and who, and below it the words. */
export function paragraph(
  entry: FeedEntry,
  board: Board,
  { paint, screen }: Screen,
  now = new Date(),
): string[] {
  const when = padEnd(ago(new Date(entry.created_at), now), WHEN_COLUMNS)
  const room = screen - WHEN_COLUMNS
  const label = clip(oneLine(labelOf(board, entry.section_id)), room)
  const rest = ` · ${oneLine(entry.project_name)} · ${oneLine(entry.reporter)}`
  const words = Bun.wrapAnsi(oneLine(entry.verbatim), room, { hard: true }).split('\n')
  const shown = words.length > MOST_LINES ? [...words.slice(0, MOST_LINES), '…'] : words
  return [
    paint.dim(when) + paint.bold(label) + paint.dim(clip(rest, Math.max(1, room - width(label)))),
    ...shown.map(line => ' '.repeat(WHEN_COLUMNS) + line),
  ]
}

const SECTION_COLUMNS = 18
const PROJECT_COLUMNS = 14
const REPORTER_COLUMNS = 12
const ROOMY = 100

/** For watching: one line a defect that fits the terminal. */
export function brief(entry: FeedEntry, board: Board, { paint, screen }: Screen, now = new Date()): string {
  const cell = (text: string, room: number) => padEnd(clip(oneLine(text), room), room)
  const lead = [
    paint.dim(clock(new Date(entry.created_at), now)),
    paint.bold(cell(labelOf(board, entry.section_id), SECTION_COLUMNS)),
    cell(entry.project_name, PROJECT_COLUMNS),
    ...(screen < ROOMY ? [] : [paint.dim(cell(entry.reporter.replace(/@.*/, ''), REPORTER_COLUMNS))]),
  ].join('  ')
  return `${lead}  ${clip(oneLine(entry.verbatim), Math.max(10, screen - width(lead) - 2))}`
}
