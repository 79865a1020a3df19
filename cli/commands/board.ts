import { type Board, BoardFaults, loadBoard, sayWarning, type Warning } from '../../server/board/board.ts'
import { readDataConfig } from '../../server/config/read.ts'
import { sectionCounts } from '../../server/defects/counts.ts'
import type { Command } from '../command.ts'
import { isThere, open } from '../terminal/database.ts'
import { explain } from '../terminal/explain.ts'
import { exit } from '../terminal/faults.ts'
import type { Io } from '../terminal/io.ts'
import { columns, json, oneLine, quantity, table } from '../terminal/print.ts'
import { editBoard } from './board-edit.ts'

export function board(program: Command) {
  const board = program
    .command('board')
    .description('drawings for the board: `board check`, `board edit`, `board sections`')

  board
    .command('check')
    .description('what a drawing would be as the board: faults, what the import changes, sections')
    .argument('<file>', 'the SVG')
    .option('--json', '{"ok","faults","warnings","sections","retiring","returning"}')
    .examples('faultline board check board.svg')
    .runs(async (io, file: string) => {
      const checked = await check(io, file)
      io.print(...(io.json ? [json(checked, 2)] : described(checked, io)))
      return checked.ok ? exit.ok : exit.failed
    })

  board
    .command('edit')
    .description('a page on this machine that makes a board of a drawing or of a photograph')
    .argument('<file>', 'the SVG, or a PNG, JPEG or WebP picture')
    .option('-o, --out <file>', 'save there, instead of to the file itself')
    .examples('faultline board edit board.svg', 'faultline board edit hall.jpg -o board.svg')
    .runs(editBoard, { ownSignals: true, besideDemo: false })

  board
    .command('sections')
    .description('id and label of each section of the board in use')
    .option('--json', 'an array of {"id","label"}')
    .examples('faultline board sections')
    .runs(async io => {
      const sections = [...loadBoard(readDataConfig(io.env).boardFile).sections.values()]
      const rows = sections.map(({ id, label }) => [id, label])
      io.print(...(io.json ? [json(sections)] : table(rows, [{ paint: io.paint.bold }, {}], io)))
    })
}

interface Counted {
  id: string
  defects: number
}

/** What the drawing would change for sections that people know; null without a database to ask. */
interface Change {
  /** on the board in use, and not in the drawing */
  retiring: Counted[] | null
  /** in the drawing, and retired until now */
  returning: Counted[] | null
}

interface Checked extends Change {
  ok: boolean
  faults: string[]
  warnings: readonly Warning[]
  sections: { id: string; label: string }[]
}

const UNASKED: Change = { retiring: null, returning: null }

async function check(io: Io, file: string): Promise<Checked> {
  try {
    const drawing = loadBoard(file)
    const { warnings, sections } = drawing
    return {
      ok: true,
      faults: [],
      warnings,
      sections: [...sections.values()],
      ...(await change(io, drawing)),
    }
  } catch (error) {
    if (!(error instanceof BoardFaults)) throw error
    return { ok: false, faults: error.faults, warnings: [], sections: [], ...UNASKED }
  }
}

async function change(io: Io, drawing: Board): Promise<Change> {
  const config = readDataConfig(io.env)
  if (!config.databaseUrl && !isThere(config.dataDir)) return UNASKED
  try {
    const inUse = loadBoard(config.boardFile)
    const counted = Object.entries(await sectionCounts(await open(io, config), inUse))
    const sections = counted.map(([id, defects]) => ({ id, defects }))
    return {
      retiring: sections.filter(({ id }) => inUse.sections.has(id) && !drawing.sections.has(id)),
      returning: sections.filter(({ id }) => !inUse.sections.has(id) && drawing.sections.has(id)),
    }
  } catch (error) {
    const [first = '', ...rest] = explain(error).messages
    io.say(`faultline: not compared with the board in use: ${[first, ...rest].join('; ')}`)
    return UNASKED
  }
}

function described(
  { faults, warnings, sections, retiring, returning }: Checked,
  { paint, screen }: Io,
): string[] {
  const all = [
    ...faults.map(said => [paint.bad('FAULT '), said]),
    ...warnings.map(found => [
      found.harmless ? paint.dim('note  ') : paint.warm('warn  '),
      sayWarning(found),
    ]),
    ...(retiring ?? []).map(of => [paint.warm('warn  '), `section "${of.id}" would retire with ${held(of)}`]),
    ...(returning ?? []).map(of => [paint.good('back  '), `section "${of.id}" returns with ${held(of)}`]),
  ].map(([mark = '', said = '']) => mark + oneLine(said))
  if (faults.length) return [...all, '', `${quantity(faults.length, 'fault')} to mend.`]
  const rows = sections.map(({ id, label }) => [id, label])
  return [...all, ...(all.length ? [''] : []), `${quantity(sections.length, 'section')}:`].concat(
    columns(rows, [{ paint: paint.bold }, {}], screen).map(row => `  ${row}`),
  )
}

const held = ({ defects }: Counted) => (defects ? `its ${quantity(defects, 'defect')}` : 'no defects')
