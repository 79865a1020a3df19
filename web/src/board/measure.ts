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
  const parts = Map.groupBy(svg.querySelectorAll<SVGElement>('[data-section]'), part => part.dataset.section!)
  for (const [id, elements] of parts) {
    const boxes = elements.map(element =>
      (element.querySelector('.section-area') ?? element).getBoundingClientRect(),
    )
    const left = Math.min(...boxes.map(box => box.left))
    const right = Math.max(...boxes.map(box => box.right))
    const middle = across((left + right) / 2)
    spots[id] = {
      middle,
      right: across(right),
      top: down(Math.min(...boxes.map(box => box.top))),
      bottom: down(Math.max(...boxes.map(box => box.bottom))),
      side: middle < 25 ? 'start' : middle > 75 ? 'end' : 'middle',
    }
  }
  return spots
}
