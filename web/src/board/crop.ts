/** Of a drawing so much has to be empty, before the rest is shown alone. */
const EMPTY = 0.2
/** of the longer side of what is drawn */
const MARGIN = 0.03

/** What is drawn by these, no box tells. */
const BOXLESS = 'use, [filter], [marker-start], [marker-mid], [marker-end]'

/** Takes away wide margins in which nothing is drawn. */
export function cropMargins(svg: SVGSVGElement): void {
  if (svg.querySelector(BOXLESS)) return
  const { x, y, width, height } = svg.viewBox.baseVal
  const { drawn, stroke } = measured(svg)
  const margin = stroke + MARGIN * Math.max(drawn.width, drawn.height)
  const [left, top] = [Math.max(x, drawn.x - margin), Math.max(y, drawn.y - margin)]
  const right = Math.min(x + width, drawn.x + drawn.width + margin)
  const bottom = Math.min(y + height, drawn.y + drawn.height + margin)
  const [wide, high] = [right - left, bottom - top]
  if (!(wide > 0 && high > 0) || wide * high > (1 - EMPTY) * width * height) return
  svg.setAttribute('viewBox', `${left} ${top} ${wide} ${high}`)
}

/** What is drawn, and how far its strokes reach beyond at most; only what is laid out can be measured. */
function measured(svg: SVGSVGElement): { drawn: DOMRect; stroke: number } {
  const aside = document.createElement('div')
  aside.className = 'unseen'
  aside.append(svg)
  document.body.append(aside)
  const drawn = svg.getBBox()
  const stroke = Math.max(0, ...[...svg.querySelectorAll<SVGGraphicsElement>('[stroke]')].map(reach))
  aside.remove()
  return { drawn, stroke }
}

/** In units of the drawing, sharp corners included. */
function reach(shape: SVGGraphicsElement): number {
  const [own, whole] = [shape.getScreenCTM(), shape.ownerSVGElement?.getScreenCTM()]
  if (!own || !whole) return 0
  const { strokeWidth, strokeMiterlimit } = getComputedStyle(shape)
  const { a, b, c, d } = whole.inverse().multiply(own)
  const half = Number.parseFloat(strokeWidth) / 2
  return half * Math.max(Math.hypot(a, b), Math.hypot(c, d)) * Number.parseFloat(strokeMiterlimit)
}
