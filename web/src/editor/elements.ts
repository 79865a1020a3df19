import type { Hints } from './suggest.ts'

/** The element at child indexes, such as `0.3.1`. */
export function elementAt(svg: SVGSVGElement, path: string): SVGElement | undefined {
  let found: Element | undefined = svg
  for (const index of path ? path.split('.') : []) found = found?.children[Number(index)]
  return found as SVGElement | undefined
}

export function pathOf(svg: SVGSVGElement, element: Element): string {
  const indexes: number[] = []
  for (let at = element; at !== svg && at.parentElement; at = at.parentElement)
    indexes.unshift([...at.parentElement.children].indexOf(at))
  return indexes.join('.')
}

/** Walks through the elements of a drawing that may be a section. */
export class Elements {
  constructor(
    readonly svg: SVGSVGElement,
    private readonly markable: string[],
  ) {}

  private canBeMarked(element: Element): boolean {
    return element !== this.svg && this.markable.includes(element.localName)
  }

  private inside(element: Element): Element[] {
    return [...element.children].flatMap(child => {
      if (this.canBeMarked(child)) return [child]
      return child.localName === 'switch' ? this.inside(child) : []
    })
  }

  private around(element: Element): Element | undefined {
    let outer = element.parentElement
    while (outer && outer !== (this.svg as Element) && !this.canBeMarked(outer)) outer = outer.parentElement
    return outer && outer !== (this.svg as Element) ? outer : undefined
  }

  /** From the highest to the lowest, as they are drawn there. */
  at(x: number, y: number): string[] {
    const drawn = document.elementsFromPoint(x, y).filter(element => this.svg.contains(element))
    const found = drawn.map(element => (this.canBeMarked(element) ? element : this.around(element)))
    const [text, shape, ...rest] = [...new Set(found)].filter(element => element !== undefined)
    const order =
      text && shape && this.isCaption(text, shape) ? [shape, text, ...rest] : [text, shape, ...rest]
    return order.flatMap(element => (element ? [pathOf(this.svg, element)] : []))
  }

  /** What is written on a box of a diagram: the box is meant. */
  private isCaption(text: Element, shape: Element): boolean {
    return text.localName === 'text' && !this.isGround(shape) && isOn(text, shape.getBoundingClientRect())
  }

  /** On what makes up much of the drawing everything is written. */
  private isGround(element: Element): boolean {
    const [drawing, box] = [this.svg, element].map(one => one.getBoundingClientRect()) as [DOMRect, DOMRect]
    return box.width * box.height > (drawing.width * drawing.height) / LARGE
  }

  /** Where an arrow key leads; without a path into the drawing. */
  next(path: string | undefined, key: string): string | undefined {
    const element = path === undefined ? undefined : elementAt(this.svg, path)
    const to = element ? this.neighbour(element, key) : this.inside(this.svg)[0]
    return to && pathOf(this.svg, to)
  }

  private neighbour(element: Element, key: string): Element | undefined {
    if (key === 'ArrowUp') return this.around(element)
    if (key === 'ArrowDown') return this.inside(element)[0]
    const siblings = this.inside(this.around(element) ?? this.svg)
    return siblings[siblings.indexOf(element) + (key === 'ArrowLeft' ? -1 : 1)]
  }

  hints(path: string): Hints {
    const element = elementAt(this.svg, path)
    if (!element) return {}
    const title = [...element.children].find(({ localName }) => localName === 'title')
    const texts = element.localName === 'text' ? [element] : [...element.querySelectorAll('text')]
    if (!texts.length) texts.push(...this.writtenOn(element))
    return {
      label: element.getAttribute('aria-label') ?? undefined,
      title: title?.textContent ?? undefined,
      id: element.id.replace(/^board-/, '') || undefined,
      text: texts.map(({ textContent }) => textContent?.trim()).join(' ') || undefined,
    }
  }

  private writtenOn(element: Element): SVGTextElement[] {
    if (this.isGround(element)) return []
    const box = element.getBoundingClientRect()
    const texts = [...this.svg.querySelectorAll('text')].filter(text => isOn(text, box))
    return texts.length > MOST_LINES ? [] : texts
  }

  /** As one says it: `group of 12`. */
  describe(path: string): string {
    const element = elementAt(this.svg, path)
    if (!element) return 'nothing'
    const many = this.inside(element).length
    const name = NAMES[element.localName] ?? element.localName
    return many ? `${name} of ${many}` : name
  }
}

const LARGE = 4
const MOST_LINES = 4

function isOn(text: Element, box: DOMRect): boolean {
  const { x, y, width, height } = text.getBoundingClientRect()
  const [middle, center] = [x + width / 2, y + height / 2]
  return middle > box.left && middle < box.right && center > box.top && center < box.bottom
}

const NAMES: Record<string, string> = {
  g: 'group',
  svg: 'drawing',
  rect: 'rectangle',
  use: 'copy',
  image: 'picture',
  polyline: 'line',
}
