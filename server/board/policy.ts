import { clip, type Fault, XML_NAMESPACE, type XmlAttribute, type XmlElement } from './parse.ts'
import { FRAGMENT, judgeValue, plainStyle } from './values.ts'
import { CLASSES, DRAWN, GEOMETRY, OFF_STAGE, PRESENTATION, REFUSED, UNDRAWN, WORDED } from './vocabulary.ts'

export const SVG_NAMESPACE = 'http://www.w3.org/2000/svg'
const XLINK_NAMESPACE = 'http://www.w3.org/1999/xlink'
const READ_BY_THE_BOARD = ['data-section', 'data-label', 'aria-label', 'systemLanguage']
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

/** One element's attributes while they are judged. */
interface Judging {
  judge: Judge
  kept: Map<string, string>
  refuse: (attribute: XmlAttribute, text: string) => void
}

/** The attributes that may be served, as plain ones of SVG. */
function cleanAttributes(judge: Judge, element: XmlElement): Map<string, string> {
  const kept = new Map<string, string>()
  const refuse = ({ line }: XmlAttribute, text: string) =>
    judge.faults.push({ line, text: `<${element.name}> ${text}` })
  const judging: Judging = { judge, kept, refuse }
  const isStyle = (a: XmlAttribute) => a.namespace === '' && a.name === 'style'
  for (const a of element.attributes) if (!isStyle(a)) cleanAttribute(judging, a)
  // style comes last, for CSS wins over attributes
  for (const a of element.attributes) if (isStyle(a)) cleanStyle(judging, a)
  return kept
}

function cleanAttribute(judging: Judging, a: XmlAttribute): void {
  const { kept } = judging
  if (isLink(a)) cleanLink(judging, a)
  else if (a.namespace === XML_NAMESPACE && a.name === 'space' && a.value === 'preserve')
    kept.set('xml:space', 'preserve')
  else if (a.namespace === '') cleanPlain(judging, a)
}

function isLink({ name, namespace }: XmlAttribute): boolean {
  return name.toLowerCase() === 'href' && (namespace === '' || namespace === XLINK_NAMESPACE)
}

function cleanLink({ judge, kept, refuse }: Judging, a: XmlAttribute): void {
  const id = FRAGMENT.exec(a.value.trim())?.[1]
  if (id === undefined) refuse(a, `${a.name}: refers outside the file: only "#id" of this file is possible`)
  else if (a.namespace === '' || !kept.has('href')) kept.set('href', `#${judge.renameId(id)}`)
}

function cleanPlain(judging: Judging, a: XmlAttribute): void {
  const { judge, kept, refuse } = judging
  if (/^on/i.test(a.name)) refuse(a, `${clip(a.name)}: a board runs no code: remove this attribute`)
  else if (a.name.toLowerCase() === 'src') refuse(a, 'src: refers outside the file: remove this attribute')
  else if (a.name === 'class') cleanClass(kept, a.value)
  else if (a.name === 'id') {
    if (FRAGMENT.test(`#${a.value}`)) kept.set('id', judge.renameId(a.value))
  } else if (READ_BY_THE_BOARD.includes(a.name)) kept.set(a.name, a.value)
  else if (PRESENTATION.has(a.name) || GEOMETRY.has(a.name)) keepValue(judging, a, a.name, a.value)
}

function cleanClass(kept: Map<string, string>, value: string): void {
  const known = value.split(/\s+/).filter(name => CLASSES.has(name))
  if (known.length) kept.set('class', known.join(' '))
}

function cleanStyle(judging: Judging, a: XmlAttribute): void {
  const style = plainStyle(a.value)
  for (const text of style.faults) judging.refuse(a, text)
  for (const [name, value] of style.attributes) keepValue(judging, a, name, value)
}

function keepValue({ judge, kept, refuse }: Judging, a: XmlAttribute, name: string, value: string): void {
  const judged = judgeValue(value, judge.renameId)
  if ('value' in judged) kept.set(name, judged.value)
  else refuse(a, `${name}: ${judged.fault}`)
}
