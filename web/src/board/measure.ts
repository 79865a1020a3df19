import { sizeTints } from './picture.ts'

/** Where a section lies on the board, in per cent of its size. */
export interface Spot {
  middle: number
  right: number
  top: number
  bottom: number
  /** on which side a name beside it would run over the edge */
  side: 'start' | 'middle' | 'end'
}

export function measure(svg: SVGSVGElement, host: Element): Record<string, Spot> {
  const board = host.getBoundingClientRect()
  if (!board.width || !board.height) return {}
  sizeTints(svg)
  const across = (x: number) => (100 * (x - board.left)) / board.width
  const down = (y: number) => (100 * (y - board.top)) / board.height
  const spots: Record<string, Spot> = {}
  for (const section of svg.querySelectorAll<SVGElement>('[data-section]')) {
    const area = section.querySelector('.section-area') ?? section
    const box = area.getBoundingClientRect()
    const middle = across(box.left + box.width / 2)
    spots[section.dataset.section!] = {
      middle,
      right: across(box.right),
      top: down(box.top),
      bottom: down(box.bottom),
      side: middle < 25 ? 'start' : middle > 75 ? 'end' : 'middle',
    }
  }
  return spots
}
