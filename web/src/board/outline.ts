const KEPT =
  'transform transform-origin clip-path clip-rule mask fill-rule display overflow d points x y width height cx cy r rx ry x1 y1 x2 y2 viewBox preserveAspectRatio'.split(
    ' ',
  )
const GROUPS = ['g', 'svg', 'switch', 'symbol']
export const SHAPES = 'path, rect, circle, ellipse, line, polyline, polygon'

/** What of the drawing an outline was made of, where it alone draws it. */
export const sources = new WeakMap<Element, SVGElement>()
/** Boxes for what has no outline of its own, such as text: sized once it is drawn. */
export const boxes = new WeakMap<Element, SVGGraphicsElement>()

/** Copies of what an element draws, without their paint, where it draws them; of its `section-area` alone if it has one. */
export function outlinesOf(svg: SVGSVGElement, part: SVGElement): SVGElement[] {
  const areas = [...part.querySelectorAll<SVGElement>('.section-area')]
  return (areas.length ? areas : [part]).flatMap(area => {
    let outlines = copiesOf(svg, area)
    for (let outer = area.parentElement; outer && outer !== (svg as Element); outer = outer.parentElement)
      outlines = [shell(outer, outlines)]
    return outlines
  })
}

function copiesOf(svg: SVGSVGElement, source: Element, reused = false): SVGElement[] {
  const inside = () => [...source.children].flatMap(child => copiesOf(svg, child, reused))
  if (/hidden|collapse/.test(source.closest('[visibility]')?.getAttribute('visibility') ?? '')) return []
  if (GROUPS.includes(source.localName)) return [shell(source, inside())]
  if (source instanceof SVGUseElement) return [copyOfUse(svg, source)]
  if (source instanceof SVGTextElement || source instanceof SVGImageElement) {
    const box = bare('rect', source)
    boxes.set(box, source)
    return [box]
  }
  if (!source.matches(SHAPES)) return []
  const copy = bare(source.localName, source)
  if (!reused) sources.set(copy, source as SVGElement)
  if (isLine(source)) {
    copy.classList.add('line')
    copy.setAttribute('stroke-width', source.closest('[stroke-width]')?.getAttribute('stroke-width') ?? '1')
  }
  return [copy]
}

function copyOfUse(svg: SVGSVGElement, use: SVGUseElement): SVGElement {
  const target = svg.getElementById(use.getAttribute('href')?.slice(1) ?? '')
  const copy = shell(use, target ? copiesOf(svg, target, true) : [])
  const moved = `translate(${use.x.baseVal.value} ${use.y.baseVal.value})`
  copy.setAttribute('transform', `${use.getAttribute('transform') ?? ''} ${moved}`)
  const [symbol] = copy.children
  for (const name of ['width', 'height']) {
    const length = use.getAttribute(name)
    if (symbol?.localName === 'svg' && length) symbol.setAttribute(name, length)
  }
  return copy
}

function shell(source: Element, inside: SVGElement[]): SVGElement {
  const copy = bare(['svg', 'symbol'].includes(source.localName) ? 'svg' : 'g', source)
  copy.append(...inside)
  return copy
}

/** A copy of an element alone, without its paint. */
export function bare(name: string, source: Element): SVGElement {
  const copy = document.createElementNS('http://www.w3.org/2000/svg', name) as SVGElement
  for (const kept of KEPT) {
    const value = source.getAttribute(kept)
    if (value !== null) copy.setAttribute(kept, value)
  }
  return copy
}

/** A line that encloses nothing has no area to press or to paint. */
export function isLine(source: Element): boolean {
  if (source.localName === 'line') return true
  const filled = source.closest('[fill]')?.getAttribute('fill') !== 'none'
  if (filled || !/^(polyline|path)$/.test(source.localName)) return false
  return !/z\s*$/i.test(source.getAttribute('d') ?? '')
}
