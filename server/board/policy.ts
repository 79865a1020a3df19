import { clip, type Findings, type Place } from './findings.ts'
import { descendants, get, XML_NAMESPACE, type XmlAttribute, type XmlElement } from './parse.ts'
import { FRAGMENT, judgeValue } from './values.ts'
import {
  CLASSES,
  DRAWN,
  GEOMETRY,
  LEFT_OUT,
  OFF_STAGE,
  PRESENTATION,
  REFUSED,
  SHOWS_IMAGE,
  UNDRAWN,
  WORDED,
} from './vocabulary.ts'

export const SVG_NAMESPACE = 'http://www.w3.org/2000/svg'
const XMLNS_NAMESPACE = 'http://www.w3.org/2000/xmlns/'
const XLINK_NAMESPACE = 'http://www.w3.org/1999/xlink'
const READ_BY_THE_BOARD = ['data-section', 'data-label', 'data-dark', 'aria-label', 'systemLanguage']
const WEB_NAMESPACES = ['http://www.w3.org/1999/xhtml', 'http://www.w3.org/1998/Math/MathML']

/** An element that has been judged: only what may be served is in it. */
export interface Shape extends Place {
  attributes: Map<string, string>
  children: (Shape | string)[]
  /** inside an element whose content is not drawn where it stands */
  offStage: boolean
}

export interface Judge {
  findings: Findings
  renameId: (id: string) => string
  /** what was embedded in the file and is served beside it */
  isImage: (href: string) => boolean
}

/** A judge for one file. Ids get a prefix, so that none of them can meet one of the page's own. */
export function judgeFor(root: XmlElement, findings: Findings, isImage: Judge['isImage']): Judge {
  const prefixed = descendants(root).every(({ id }) => id === undefined || id.startsWith('board-'))
  return { findings, isImage, renameId: prefixed ? id => id : id => `board-${id}` }
}

/** What of an element may be served; undefined when nothing of it may. */
export function cleanElement(
  judge: Judge,
  element: XmlElement,
  offStage = false,
  inCaption = false,
): Shape | undefined {
  if (inCaption || !isDrawing(element)) {
    if (!inCaption) judge.findings.note(element, 'what editors note for themselves is left out')
    return leaveOut(judge, element)
  }
  if (!mayStay(judge, element)) return leaveOut(judge, element)
  const hidden = offStage || OFF_STAGE.has(element.name)
  const shape: Shape = {
    name: element.name,
    attributes: cleanAttributes(judge, element),
    children: [],
    id: element.id,
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

/** False for what editors note for themselves. */
export function isDrawing({ name, namespace }: XmlElement): boolean {
  if (WEB_NAMESPACES.includes(namespace)) return true
  return (namespace === '' || namespace === SVG_NAMESPACE) && !UNDRAWN.has(name)
}

export const marksSection = (element: XmlElement): boolean =>
  get(element, 'data-section') !== undefined ||
  element.children.some(child => typeof child !== 'string' && marksSection(child))

function leaveOut({ findings }: Judge, element: XmlElement): undefined {
  if (marksSection(element)) findings.fault(element, ' is not drawn, yet a section is in it')
}

function mayStay({ findings }: Judge, element: XmlElement): boolean {
  const { name, namespace } = element
  if (DRAWN.has(name) && !WEB_NAMESPACES.includes(namespace)) return true
  refuseActive(element, findings)
  if (!REFUSED.has(name))
    findings.warn(element, LEFT_OUT.get(name) ?? `browsers do not draw <${clip(name)}>: left out`)
  return false
}

/** What is left out may still show that a drawing wants to run code or to load something. */
export function refuseActive(root: XmlElement, findings: Findings): void {
  for (const element of descendants(root)) {
    const refused = REFUSED.get(element.name)
    if (refused) findings.fault(element, `: ${refused}`)
    for (const { name, value } of element.attributes) {
      if (/^on/i.test(name)) findings.fault(element, ` ${clip(name)}: ${RUNS_NO_CODE}`)
      if (/^(src|srcset|srcdoc|background)$/i.test(name) && !/^data:/i.test(value.trim()))
        findings.fault(element, ` ${clip(name)}: ${OUTSIDE}`)
    }
  }
}

const RUNS_NO_CODE = 'a board runs no code: remove this attribute'
const OUTSIDE = 'refers outside the file: remove this attribute'

/** One element's attributes while they are judged. */
interface Judging {
  judge: Judge
  element: XmlElement
  kept: Map<string, string>
}

/** The attributes that may be served, as plain ones of SVG. */
function cleanAttributes(judge: Judge, element: XmlElement): Map<string, string> {
  const judging: Judging = { judge, element, kept: new Map() }
  for (const a of element.attributes) cleanAttribute(judging, a)
  return judging.kept
}

function cleanAttribute(judging: Judging, a: XmlAttribute): void {
  if (a.namespace === '' && isValue(a.name)) keepValue(judging, a)
  else if (isLink(a)) cleanLink(judging, a)
  else if (a.namespace === XML_NAMESPACE && a.name === 'space' && a.value === 'preserve')
    judging.kept.set('xml:space', 'preserve')
  else if (a.namespace === '') cleanPlain(judging, a)
  else if (a.namespace !== XMLNS_NAMESPACE) leaveOutAttribute(judging)
}

function refuse({ judge, element }: Judging, { name, line }: XmlAttribute, text: string): void {
  judge.findings.fault({ ...element, line }, ` ${clip(name)}: ${text}`)
}

const isValue = (name: string) => PRESENTATION.has(name) || GEOMETRY.has(name)

function isLink({ name, namespace }: XmlAttribute): boolean {
  return name.toLowerCase() === 'href' && (namespace === '' || namespace === XLINK_NAMESPACE)
}

function cleanLink(judging: Judging, a: XmlAttribute): void {
  const { judge, element, kept } = judging
  const { namespace, value } = a
  if (SHOWS_IMAGE.has(element.name) && judge.isImage(value)) kept.set('href', value)
  else {
    const id = SHOWS_IMAGE.has(element.name) ? undefined : FRAGMENT.exec(value.trim())?.[1]
    if (id === undefined) refuse(judging, a, 'refers outside the file: only "#id" of this file is possible')
    else if (namespace === '' || !kept.has('href')) kept.set('href', `#${judge.renameId(id)}`)
  }
}

function cleanPlain(judging: Judging, a: XmlAttribute): void {
  const { judge, kept } = judging
  const { name, value } = a
  if (/^on/i.test(name)) refuse(judging, a, RUNS_NO_CODE)
  else if (name.toLowerCase() === 'src') refuse(judging, a, OUTSIDE)
  else if (name === 'class') cleanClass(judging, value)
  else if (name === 'id') {
    if (FRAGMENT.test(`#${value}`)) kept.set('id', judge.renameId(value))
  } else if (READ_BY_THE_BOARD.includes(name)) kept.set(name, value)
  else if (PRESENTATION.has(name) || GEOMETRY.has(name)) keepValue(judging, a)
  else leaveOutAttribute(judging)
}

function leaveOutAttribute({ judge, element }: Judging): void {
  judge.findings.note(element, 'attributes that draw nothing are left out')
}

function cleanClass(judging: Judging, value: string): void {
  const known = value.split(/\s+/).filter(name => CLASSES.has(name))
  if (known.length) judging.kept.set('class', known.join(' '))
  else leaveOutAttribute(judging)
}

function keepValue(judging: Judging, a: XmlAttribute): void {
  const { judge, element, kept } = judging
  const { name, value } = a
  const judged = judgeValue(value, judge.renameId)
  if ('value' in judged) kept.set(name, judged.value)
  else if ('fault' in judged) refuse(judging, a, judged.fault)
  else judge.findings.warn(element, `${name}: ${judged.ignored}`)
}
