export interface Section {
  id: string
  label: string
  /** what is printed on the drawing, where the label does not say it: people who speak to their computer say it */
  marked?: string
}

export interface Picture {
  svg: SVGSVGElement
  sections: Section[]
  /** width by height */
  ratio: number
  /** drawn in the page’s own colours, for light and dark; any other stands on a light sheet */
  themed: boolean
}

/** The board's file as elements of this page, its sections made into buttons. */
export function readPicture(text: string): Picture {
  const parsed = new DOMParser().parseFromString(text, 'image/svg+xml')
  const root = parsed.documentElement
  if (root.localName !== 'svg') throw new Error('the board is not an SVG')
  const svg = document.importNode(root, true) as unknown as SVGSVGElement
  const { width, height } = svg.viewBox.baseVal
  svg.removeAttribute('width')
  svg.removeAttribute('height')
  svg.setAttribute('role', 'group')
  svg.setAttribute('aria-label', 'Board')
  const elements = [...svg.querySelectorAll<SVGElement>('[data-section]')]
  for (const child of svg.children) {
    if (!elements.some(element => child.contains(element))) child.setAttribute('aria-hidden', 'true')
  }
  const themed = svg.querySelector('.section-area') !== null
  const parts = Map.groupBy(elements, element => element.dataset.section!)
  const sections = [...parts].map(([id, elements]) => makeButton(id, elements))
  return { svg, sections, ratio: width / height, themed }
}

/** The first element of a section is its button; the others are as good to point at. */
function makeButton(id: string, elements: SVGElement[]): Section {
  const [button, ...others] = elements as [SVGElement, ...SVGElement[]]
  button.setAttribute('role', 'button')
  button.setAttribute('tabindex', '0')
  for (const other of others) other.setAttribute('aria-hidden', 'true')
  for (const element of elements) {
    element.classList.add('section')
    if (!element.querySelector('.section-area')) addArea(element)
  }
  const label = button.dataset.label ?? id
  const marked = elements.map(printedOn).filter(Boolean).join(' ')
  const says = !marked || label.toLowerCase().includes(marked.toLowerCase())
  return { id, label, ...(says ? {} : { marked }) }
}

function printedOn(element: SVGElement): string {
  const texts = [...element.querySelectorAll('text')].map(text => text.textContent.trim())
  return texts.filter(Boolean).join(' ')
}

/** A plain shape is its own area; a group without one gets a tint over what it holds, sized once it is drawn. */
function addArea(element: SVGElement): void {
  if (element.localName !== 'g') {
    element.classList.add('section-area')
    return
  }
  const area = document.createElementNS('http://www.w3.org/2000/svg', 'rect')
  area.classList.add('section-area', 'section-tint')
  element.append(area)
}

/** Sizes the tints: only a drawn element has a box. */
export function sizeTints(svg: SVGSVGElement): void {
  for (const tint of svg.querySelectorAll<SVGRectElement>('.section-tint')) {
    if (tint.hasAttribute('width')) continue
    const { x, y, width, height } = (tint.parentNode as SVGGElement).getBBox()
    if (!width || !height) continue
    for (const [name, value] of Object.entries({ x, y, width, height, rx: Math.min(width, height) / 12 })) {
      tint.setAttribute(name, String(value))
    }
  }
}
