import { assets } from '../../server/assets.ts'
import { BoardFaults } from '../../server/board/board.ts'
import { EditedBoard } from '../../server/editor/edited-board.ts'
import { Failure } from '../terminal/faults.ts'
import type { Io } from '../terminal/io.ts'
import { oneLine, quantity } from '../terminal/print.ts'

/** Runs the editor until it is interrupted. */
export async function editBoard(io: Io, file: string, { out }: { out?: string }): Promise<void> {
  const { promise: interrupted, resolve: interrupt } = Promise.withResolvers<void>()
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  const board = opened(file, out)
  const { startEditor } = await import('../../server/editor/editor.ts')
  const { bold, dim } = io.paint
  const target = oneLine(board.target)
  const editor = startEditor(board, assets.editor, ({ sections, kept }) => {
    io.print(
      `Saved ${target}, ${quantity(sections, 'section')}.${kept ? ` What was there before is ${oneLine(kept)}.` : ''}`,
    )
  })
  io.atEnd(editor.stop)
  io.print(
    '',
    `  The editor is at  ${bold(editor.url)}`,
    `  It saves to       ${target}, when you say so`,
    '',
    dim('  For this machine only, and for one visit. Ctrl-C ends it.'),
    '',
  )
  await interrupted
  io.print('', board.lastSaved ? `The board is in ${target}.` : 'Nothing was saved.')
  if (board.isUnsaved) io.say('faultline: what was changed on the page after that is not saved')
}

function opened(file: string, out?: string): EditedBoard {
  try {
    return new EditedBoard(file, out)
  } catch (error) {
    throw error instanceof BoardFaults ? new Failure(error.message) : error
  }
}
