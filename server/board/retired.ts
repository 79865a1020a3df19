import { nameFault } from '../text.ts'
import type { Board, Retired } from './board.ts'
import { MAX_LABEL } from './sections.ts'
import { escaped } from './write.ts'

/** The board with what it remembers; the picture tells it to the page. */
export function withRetired(board: Board, retired: Retired[]): Board {
  const known = retired.filter(({ label }) => !nameFault(label, MAX_LABEL))
  const told = known.map(({ id, label, firstDay, lastDay }) => {
    const said = { retired: id, label, first: firstDay, last: lastDay }
    return `<desc${Object.entries(said)
      .map(([name, value]) => ` data-${name}="${escaped(value)}"`)
      .join('')}/>`
  })
  return {
    ...board,
    svg: board.svg.replace(/<\/svg>$/, end => told.join('') + end),
    retired: new Map(known.map(section => [section.id, section])),
  }
}
