import { bare, boxes, isLine, SHAPES, sources } from './outline.ts'
import type { Picture } from './picture.ts'
import { findSpots, type Spot, stack } from './spots.ts'

/** The room that a finger needs, in CSS pixels. */
const FINGER = 24
/** Of an element's box, what its ground takes at least. */
const MOST = 0.6

/** Looks at the picture once it is drawn: which section lies above which, and where heat is painted. */
export function arrange(picture: Picture): Map<string, Spot> {
  const { svg, sections } = picture
  const spots = findSpots(picture)
  const stacked = stack(sections.map(section => ({ section, spot: spots.get(section.id)! })))
  for (const { button } of sections) button.remove()
  const toScreen = DOMMatrix.fromMatrix(svg.getScreenCTM()!)
  const painted = sections.flatMap(({ id, parts, button }) => {
    const points = spots.get(id)!.points.map(point => point.matrixTransform(toScreen))
    return parts.map((part, index) => {
      const outline = button.children[index]!
      const shapes = [...outline.querySelectorAll<SVGElement>(SHAPES)]
      const isGiven = part.querySelector('.section-area') !== null
      const ground = isGiven
        ? undefined
        : shapes.findLast(shape => isGround(sources.get(shape), part, points))
      return { outline, shapes, isGiven, ground, flat: ground && isFlat(sources.get(ground)!) }
    })
  })
  // after all was looked at, since each change would have the drawing laid out again
  for (const paint of painted) markPaint(paint)
  svg.append(...stacked.map(({ section }) => section.button))
  return spots
}

interface Paint {
  outline: Element
  shapes: SVGElement[]
  /** the drawing itself says what is to be coloured */
  isGiven: boolean
  /** what makes up most of the part, as its copy in the outline */
  ground: SVGElement | undefined
  flat: boolean | undefined
}

/** Heat takes the place of a flat fill, lies on any other below what is drawn on it, and else on the whole outline. */
function markPaint({ outline, isGiven, shapes, ground, flat }: Paint): void {
  if (ground) {
    ground.classList.add('edge')
    const source = sources.get(ground)!
    if (flat) source.classList.add('section-area')
    else source.after(tintOf(source))
    return
  }
  const drawn = shapes.filter(shape => !boxes.has(shape))
  if (!isGiven) outline.classList.add('tinted')
  if (!drawn.length) outline.classList.add('words')
  for (const shape of drawn.length ? drawn : shapes) shape.classList.add('edge')
}

/** Whether it makes up most of an element, in sight as far as it lies in the window. */
function isGround(source: SVGElement | undefined, part: SVGElement, points: DOMPoint[]): boolean {
  if (!(source instanceof SVGGeometryElement) || isLine(source)) return false
  const [own, whole] = [source, part].map(element => element.getBoundingClientRect()) as [DOMRect, DOMRect]
  if (own.width * own.height < MOST * whole.width * whole.height) return false
  const toLocal = DOMMatrix.fromMatrix(source.getScreenCTM()!).inverse()
  let [above, seen] = [0, 0]
  for (const point of points) {
    if (!source.isPointInFill(point.matrixTransform(toLocal))) continue
    const highest = opaqueAt(point)
    if (!highest?.closest('.board')) continue
    seen++
    if (source.compareDocumentPosition(highest) & Node.DOCUMENT_POSITION_FOLLOWING) above++
  }
  return above <= seen / 2
}

function opaqueAt({ x, y }: DOMPoint): Element | undefined {
  const isOpaque = (element: Element) => Number(getComputedStyle(element).fillOpacity) > 0.5
  const highest = document.elementFromPoint(x, y)
  // to ask for all that lie there takes much longer
  return highest && isOpaque(highest) ? highest : document.elementsFromPoint(x, y).find(isOpaque)
}

function tintOf(source: SVGElement): SVGElement {
  const tint = bare(source.localName, source)
  for (const name of ['fill', 'stroke']) tint.setAttribute(name, 'none')
  tint.setAttribute('class', 'section-area')
  tint.setAttribute('fill-opacity', '0.75')
  return tint
}

function isFlat(source: Element): boolean {
  const { fill, fillOpacity } = getComputedStyle(source)
  if (!fill.startsWith('rgb(') || fillOpacity !== '1') return false
  for (let outer: Element | null = source; outer?.closest('svg'); outer = outer.parentElement)
    if (getComputedStyle(outer).opacity !== '1') return false
  return true
}

/** Grows what is smaller than a finger, below all sections: where the ground around it is free. */
export function grow({ svg, sections }: Picture, spots: Map<string, Spot>, scale: number): void {
  svg.querySelector('.pads')?.remove()
  const pads = document.createElementNS(svg.namespaceURI!, 'g') as SVGElement
  pads.setAttribute('class', 'pads')
  for (const { id, button } of sections) {
    const missing = FINGER - 2 * (spots.get(id)?.radius ?? 0) * scale
    if (missing <= 0) continue
    const pad = document.createElementNS(svg.namespaceURI!, 'g') as SVGElement
    pad.dataset.section = id
    pad.setAttribute('stroke-width', String(missing))
    pad.append(...[...button.children].map(outline => outline.cloneNode(true)))
    for (const line of pad.querySelectorAll('[stroke-width]')) line.removeAttribute('stroke-width')
    for (const clipped of pad.querySelectorAll('[clip-path]')) clipped.removeAttribute('clip-path')
    pads.append(pad)
  }
  pads.setAttribute('aria-hidden', 'true')
  svg.querySelector('.section-button')?.before(pads)
}
