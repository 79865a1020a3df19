import { boxes, SHAPES, sources } from './outline.ts'
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
  for (const { parts, button } of sections)
    for (const [index, part] of parts.entries()) markPaint(svg, part, button.children[index]!)
  svg.append(...stacked.map(({ section }) => section.button))
  return spots
}

/** Heat is painted on the flat ground of a section where people can see it, else as a tint over its outline. */
function markPaint(svg: SVGSVGElement, part: SVGElement, outline: Element): void {
  const shapes = [...outline.querySelectorAll<SVGElement>(SHAPES)]
  const ground = groundOf(svg, part, shapes)
  if (ground) {
    sources.get(ground)!.classList.add('section-area')
    ground.classList.add('edge')
    return
  }
  if (!part.querySelector('.section-area')) outline.classList.add('tinted')
  const drawn = shapes.filter(shape => !boxes.has(shape))
  for (const shape of drawn.length ? drawn : shapes) shape.classList.add('edge')
}

function groundOf(svg: SVGSVGElement, part: SVGElement, shapes: SVGElement[]): SVGElement | undefined {
  const sizeOf = (element: Element) => {
    const { width, height } = element.getBoundingClientRect()
    return width * height
  }
  const [first] = shapes
    .filter(shape => sources.has(shape))
    .map(shape => ({ shape, source: sources.get(shape)!, size: sizeOf(sources.get(shape)!) }))
    .sort((a, b) => b.size - a.size)
  if (!first || first.size < MOST * sizeOf(part) || !isFlat(first.source, svg)) return undefined
  return isCovered(first.source as SVGGeometryElement, part) ? undefined : first.shape
}

function isFlat(source: Element, svg: Element): boolean {
  const { fill, fillOpacity } = getComputedStyle(source)
  if (!fill.startsWith('rgb(') || fillOpacity !== '1') return false
  for (let outer: Element | null = source; outer && outer !== svg; outer = outer.parentElement)
    if (getComputedStyle(outer).opacity !== '1') return false
  return true
}

/** Whether something else is drawn over most of it, as far as that lies in the window. */
function isCovered(source: SVGGeometryElement, part: Element): boolean {
  const { left, top, width, height } = source.getBoundingClientRect()
  const matrix = source.getScreenCTM()?.inverse()
  let [above, seen] = [0, 0]
  for (let n = 0; n < 49; n++) {
    const point = new DOMPoint(
      left + (((n % 7) + 0.5) * width) / 7,
      top + ((Math.floor(n / 7) + 0.5) * height) / 7,
    )
    if (!matrix || !source.isPointInFill(point.matrixTransform(matrix))) continue
    const hit = document.elementsFromPoint(point.x, point.y).find(isOpaque)
    if (!hit?.closest('.board')) continue
    seen++
    if (!part.contains(hit)) above++
  }
  return above > seen / 2
}

const isOpaque = (element: Element) => Number(getComputedStyle(element).fillOpacity) > 0.5

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
