import { cropMargins } from './crop.ts'
import { outlinesOf } from './outline.ts'
import type { Spot } from './spots.ts'

export interface Section {
  id: string
  label: string
  /** what is printed on the drawing, where the label does not say it: people who speak to their computer say it */
  marked?: string
  /** the elements of the drawing that belong to it */
  parts: SVGElement[]
  /** what is pressed: its outline, in a layer above the drawing */
  button: SVGElement
}

/** A section of an earlier board that still has defects. */
export interface Retired {
  label: string
  /** days on which it was on the board for the first time, and no longer, as in `2026-11-30` */
  first: string
  last: string
}

export interface Picture {
  svg: SVGSVGElement
  sections: Section[]
  retired: Map<string, Retired>
  /** width by height */
  ratio: number
  /** drawn in the page’s own colours, for light and dark; any other stands on a light sheet */
  themed: boolean
  /** once it was drawn */
  spots?: Map<string, Spot>
}

/** The board's file as elements of this page, with a button above each section. */
export function readPicture(text: string): Picture {
  const parsed = new DOMParser().parseFromString(text, 'image/svg+xml')
  const root = parsed.documentElement
  if (root.localName !== 'svg') throw new Error('the board is not an SVG')
  const svg = document.importNode(root, true) as unknown as SVGSVGElement
  cropMargins(svg)
  const { width, height } = svg.viewBox.baseVal
  svg.setAttribute('role', 'group')
  svg.setAttribute('aria-label', 'Board')
  for (const child of svg.children) child.setAttribute('aria-hidden', 'true')
  const elements = svg.querySelectorAll<SVGElement>('[data-section]')
  const parts = Map.groupBy(elements, element => element.dataset.section!)
  const sections = [...parts].map(([id, parts]) => readSection(svg, id, parts))
  for (const { button } of sections) svg.append(button)
  return { svg, sections, retired: retiredOf(svg), ratio: width / height, themed: svg.dataset.dark === 'own' }
}

function retiredOf(svg: SVGSVGElement): Map<string, Retired> {
  const told = svg.querySelectorAll<SVGElement>(':scope > desc[data-retired]')
  return new Map(
    [...told].map(({ dataset: { retired = '', label = retired, first = '', last = '' } }) => [
      retired,
      { label, first, last },
    ]),
  )
}

function readSection(svg: SVGSVGElement, id: string, parts: SVGElement[]): Section {
  const button = document.createElementNS(svg.namespaceURI!, 'g') as SVGElement
  button.setAttribute('class', 'section-button')
  button.setAttribute('role', 'button')
  button.setAttribute('tabindex', '0')
  button.dataset.section = id
  const label = parts[0]?.dataset.label ?? id
  for (const part of parts) {
    const outline = document.createElementNS(svg.namespaceURI!, 'g')
    outline.append(...outlinesOf(svg, part))
    button.append(outline)
    part.classList.add('section')
    delete part.dataset.section
  }
  const marked = parts.map(printedOn).filter(Boolean).join(' ')
  const says = !marked || label.toLowerCase().includes(marked.toLowerCase())
  return { id, label, parts, button, ...(says ? {} : { marked }) }
}

function printedOn(element: SVGElement): string {
  const texts = [...element.querySelectorAll('text')].map(text => text.textContent.trim())
  return texts.filter(Boolean).join(' ')
}
