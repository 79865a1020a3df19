import { assets } from '../assets.ts'
import { type Board, BoardFaults, parseBoard, readBoardFile } from './board.ts'

/** What the thread answers. */
export type FromThread = { board: Board } | { faults: string[] }

/** Below this a thread takes longer to start than the drawing to be read. */
const SMALL = 200_000

/** As `loadBoard`; a large drawing is read on a thread of its own, so that nobody waits for it. */
export async function loadBoardBeside(file?: string): Promise<Board> {
  const svg = readBoardFile(file)
  if (svg.length < SMALL) return parseBoard(svg)
  const thread = new Worker(assets.boardThread)
  const answer = Promise.withResolvers<FromThread>()
  thread.onmessage = ({ data }: MessageEvent<FromThread>) => answer.resolve(data)
  thread.onerror = ({ message }) => answer.reject(new Error(`the drawing could not be read: ${message}`))
  thread.postMessage(svg)
  try {
    const read = await answer.promise
    if ('faults' in read) throw new BoardFaults(read.faults)
    return read.board
  } finally {
    thread.terminate()
  }
}
