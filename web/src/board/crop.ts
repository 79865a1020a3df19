/** Of a drawing so much has to be empty, before the rest is shown alone. */
const EMPTY = 0.2
/** of the longer side of what is drawn */
const MARGIN = 0.03

/** Takes away wide margins in which nothing is drawn. */
export function cropMargins(svg: SVGSVGElement): void {
  const { x, y, width, height } = svg.viewBox.baseVal
  const drawn = boxOf(svg)
  const margin = MARGIN * Math.max(drawn.width, drawn.height)
  const [left, top] = [Math.max(x, drawn.x - margin), Math.max(y, drawn.y - margin)]
  const right = Math.min(x + width, drawn.x + drawn.width + margin)
  const bottom = Math.min(y + height, drawn.y + drawn.height + margin)
  const [wide, high] = [right - left, bottom - top]
  if (!(wide > 0 && high > 0) || wide * high > (1 - EMPTY) * width * height) return
  svg.setAttribute('viewBox', `${left} ${top} ${wide} ${high}`)
}

/** Only what is laid out can be measured. */
function boxOf(svg: SVGSVGElement): DOMRect {
  const aside = document.createElement('div')
  aside.className = 'unseen'
  aside.append(svg)
  document.body.append(aside)
  const box = svg.getBBox()
  aside.remove()
  return box
}
