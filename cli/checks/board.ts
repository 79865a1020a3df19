import { BoardFaults, loadBoard, sayWarning } from '../../server/board/board.ts'
import type { DataConfig } from '../../server/config/read.ts'
import { FileFault } from '../../server/file-fault.ts'
import { explain } from '../terminal/explain.ts'
import { quantity } from '../terminal/print.ts'
import { type Check, fault, NEEDS_SETTINGS, ok, skipped, warning } from './check.ts'

export function* checkBoard(data: DataConfig | undefined): Generator<Check> {
  if (!data) return yield skipped('board', NEEDS_SETTINGS)
  const file = data.boardFile ?? 'the built-in one'
  try {
    const { sections, warnings } = loadBoard(data.boardFile)
    yield ok('board', `${file}, ${quantity(sections.size, 'section')}`)
    for (const change of warnings) yield (change.harmless ? ok : warning)('board', sayWarning(change))
  } catch (error) {
    if (error instanceof FileFault) return yield fault('board', error.said, error.fix)
    const faults = error instanceof BoardFaults ? error.faults : explain(error).messages
    for (const said of faults) yield fault('board', said, `mend it in ${file}`)
  }
}
