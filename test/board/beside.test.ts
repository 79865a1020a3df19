import { expect, test } from 'bun:test'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadBoardBeside } from '../../server/board/beside.ts'
import { type BoardFaults, loadBoard } from '../../server/board/board.ts'
import { drawing, SECTION } from '../support/board.ts'

const home = mkdtempSync(join(tmpdir(), 'faultline-board-'))
const large = `<style>.a{fill:red}</style>${'<path class="a" d="M0 0h1"/>'.repeat(10_000)}`

function saved(content: string): string {
  const file = join(home, `${Bun.hash(content)}.svg`)
  writeFileSync(file, drawing(content))
  return file
}

test('a large drawing is read on a thread of its own as it would be read here, and others go on meanwhile', async () => {
  const file = saved(SECTION + large)
  const reading = loadBoardBeside(file)
  let turns = 0
  const turn = setInterval(() => turns++, 0)
  expect(await reading).toEqual(loadBoard(file))
  clearInterval(turn)
  expect(turns).toBeGreaterThan(0)
})

test('a large drawing that cannot be the board says so in the same words', async () => {
  const file = saved(`<script/><g onclick="x"/>${large}`)
  const said = (error: BoardFaults) => [error.name, error.faults]
  const here = await Promise.try(() => loadBoard(file)).catch(said)
  expect(here).toEqual(['BoardFaults', expect.arrayContaining([expect.stringContaining('<script>')])])
  expect(await loadBoardBeside(file).catch(said)).toEqual(here)
})

test('a small one and the built-in one are read at once', async () => {
  expect(await loadBoardBeside()).toEqual(loadBoard())
})
