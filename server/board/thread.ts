import type { FromThread } from './beside.ts'
import { BoardFaults, parseBoard } from './board.ts'

declare const self: Worker

const post = (answer: FromThread) => self.postMessage(answer)

self.onmessage = ({ data: svg }: MessageEvent<string>) => {
  try {
    post({ board: parseBoard(svg) })
  } catch (error) {
    if (!(error instanceof BoardFaults)) throw error
    post({ faults: error.faults })
  }
}
