import { describe, expect, test } from 'bun:test'
import { basename } from 'node:path'
import { loadBoard } from '../../../server/board/board.ts'
import { faultsIn } from '../../support/board.ts'
import { drawings, noDrawings } from '../../support/drawings.ts'

describe.skipIf(!drawings.length)(`drawings of many programs${noDrawings}`, () => {
  test.each(drawings.map(path => [basename(path), path] as const))(
    '%s is a board, or wants what no board can have',
    (_, path) => {
      const allowed = /a board runs no code|a board holds still|refers outside the file/
      expect(faultsIn(() => loadBoard(path)).filter(fault => !allowed.test(fault))).toEqual([])
    },
  )
})
