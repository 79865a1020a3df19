import { BoardFaults, parseBoard } from '../../server/board/board.ts'

export const XHTML = 'http://www.w3.org/1999/xhtml'
const NAMESPACES =
  'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape" xmlns:sodipodi="http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd"'
/** bytes of a board's file */
export const MOST = 4 * 1024 * 1024
export const SECTION = '<g data-section="usb-port" data-label="USB port"><rect width="9" height="9"/></g>'

export const drawing = (content: string, root = 'viewBox="0 0 90 60"') =>
  `<svg ${NAMESPACES} ${root}>${content}</svg>`

export function faultsIn(load: () => unknown): string[] {
  try {
    load()
  } catch (error) {
    if (error instanceof BoardFaults) return error.faults
    throw error
  }
  return []
}

export const faultsOf = (svg: string) => faultsIn(() => parseBoard(svg))
export const faultsBeside = (content: string) => faultsOf(drawing(SECTION + content))

/** What stands in the board for this content, beside a section. */
export function imported(content: string, root?: string) {
  const board = parseBoard(drawing(SECTION + content, root))
  const { svg, warnings } = board
  const written = svg.slice(svg.indexOf('</g>') + '</g>'.length, -'</svg>'.length)
  return { ...board, written, said: warnings.map(({ text }) => text) }
}
