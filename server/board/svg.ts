import { cleanAttributes } from './attributes.ts'
import { DRAWN, OFF_STAGE, REFUSED, UNDRAWN, WORDED } from './vocabulary.ts'
import type { Fault, XmlElement } from './xml.ts'
import { clip } from './xml-grammar.ts'

export const SVG_NAMESPACE = 'http://www.w3.org/2000/svg'
const WEB_NAMESPACES = ['http://www.w3.org/1999/xhtml', 'http://www.w3.org/1998/Math/MathML']

/** An element that has been judged: only what may be served is in it. */
export interface Shape {
  name: string
  attributes: Map<string, string>
  children: (Shape | string)[]
  line: number
  /** inside an element whose content is not drawn where it stands */
  offStage: boolean
}

export interface Judge {
  faults: Fault[]
  renameId: (id: string) => string
}

/** A judge for one file. Ids get a prefix, so that none of them can meet one of the page's own. */
export function judgeFor(root: XmlElement, faults: Fault[]): Judge {
  const prefixed = everyId(root, id => id.startsWith('board-'))
  return { faults, renameId: prefixed ? id => id : id => `board-${id}` }
}

function everyId(element: XmlElement, holds: (id: string) => boolean): boolean {
  const own = element.attributes.every(
    ({ name, namespace, value }) => namespace || name !== 'id' || holds(value),
  )
  return own && element.children.every(child => typeof child === 'string' || everyId(child, holds))
}

/** What of an element may be served; undefined when nothing of it may. */
export function cleanElement(
  judge: Judge,
  element: XmlElement,
  offStage = false,
  inCaption = false,
): Shape | undefined {
  if (inCaption || !isDrawing(element)) {
    if (marksSection(element))
      judge.faults.push({
        line: element.line,
        text: `<${clip(element.name)}> is not drawn, yet a section is in it`,
      })
    return undefined
  }
  if (!mayStay(judge, element)) return undefined
  const hidden = offStage || OFF_STAGE.has(element.name)
  const shape: Shape = {
    name: element.name,
    attributes: cleanAttributes(judge, element),
    children: [],
    line: element.line,
    offStage,
  }
  for (const child of element.children) {
    if (typeof child !== 'string')
      append(shape.children, cleanElement(judge, child, hidden, isCaption(shape.name)))
    else if (WORDED.has(element.name)) append(shape.children, child)
  }
  return shape
}

/** Neighbouring characters become one string, as a reader of the result will see them. */
function append(children: (Shape | string)[], child: Shape | string | undefined): void {
  const last = children.length - 1
  if (child === undefined || child === '') return
  if (typeof child === 'string' && typeof children[last] === 'string') children[last] += child
  else children.push(child)
}

const isCaption = (name: string) => name === 'title' || name === 'desc'

export function textOf(shape: Shape): string {
  return shape.children.map(child => (typeof child === 'string' ? child : textOf(child))).join('')
}

/** False for what editors note for themselves. */
function isDrawing({ name, namespace }: XmlElement): boolean {
  if (WEB_NAMESPACES.includes(namespace)) return true
  return (namespace === '' || namespace === SVG_NAMESPACE) && !UNDRAWN.has(name)
}

export function marksSection({ attributes, children }: XmlElement): boolean {
  const marked = attributes.some(({ name, namespace }) => namespace === '' && name === 'data-section')
  return marked || children.some(child => typeof child !== 'string' && marksSection(child))
}

function mayStay(judge: Judge, { name, namespace, line }: XmlElement): boolean {
  const refuse = (text: string) => judge.faults.push({ line, text: `<${clip(name)}>: ${text}` })
  const isSvg = !WEB_NAMESPACES.includes(namespace)
  if (isSvg && DRAWN.has(name)) return true
  const known = isSvg && Object.hasOwn(REFUSED, name) ? REFUSED[name] : undefined
  if (!isSvg) refuse('a board is drawn with SVG alone: remove it')
  else refuse(known ?? 'not an element that a board is drawn with: remove it')
  // a link's content is judged as well, for ungrouping it is the mend
  return isSvg && name === 'a'
}
