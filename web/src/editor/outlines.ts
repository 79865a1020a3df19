import { bare, boxes, outlinesOf } from '../board/outline.ts'

/** Of a group with more shapes than this its box is enough. */
const MOST_SHAPES = 2000

/** Fills a group above the drawing with the outline of one of its elements. */
export function drawOutline(into: SVGElement, svg: SVGSVGElement, element: SVGElement): void {
  const isLarge = element.getElementsByTagName('*').length > MOST_SHAPES
  into.replaceChildren(...(isLarge ? [boxAround(svg, element)] : outlinesOf(svg, element)))
  for (const rect of into.querySelectorAll('rect')) {
    const source = boxes.get(rect)
    if (source) setBox(rect, source.getBBox())
  }
}

function boxAround(svg: SVGSVGElement, element: SVGElement): SVGElement {
  const box = bare('rect', svg)
  if (element instanceof SVGGraphicsElement) setBox(box, element.getBBox())
  const toDrawing = DOMMatrix.fromMatrix(svg.getScreenCTM()!).inverse()
  const screen = element instanceof SVGGraphicsElement && element.getScreenCTM()
  if (screen) box.setAttribute('transform', toDrawing.multiply(DOMMatrix.fromMatrix(screen)).toString())
  return box
}

function setBox(rect: Element, box: DOMRect): void {
  for (const name of ['x', 'y', 'width', 'height'] as const) rect.setAttribute(name, String(box[name]))
}
