import type { Judge } from './svg.ts'
import { FRAGMENT, judgeValue, plainStyle } from './values.ts'
import { CLASSES, GEOMETRY, PRESENTATION } from './vocabulary.ts'
import type { XmlAttribute, XmlElement } from './xml.ts'
import { XML_NAMESPACE } from './xml-attributes.ts'
import { clip } from './xml-grammar.ts'

const XLINK_NAMESPACE = 'http://www.w3.org/1999/xlink'
const READ_BY_THE_BOARD = ['data-section', 'data-label', 'aria-label', 'systemLanguage']

/** One element's attributes while they are judged. */
interface Judging {
  judge: Judge
  kept: Map<string, string>
  refuse: (attribute: XmlAttribute, text: string) => void
}

/** The attributes that may be served, as plain ones of SVG. */
export function cleanAttributes(judge: Judge, element: XmlElement): Map<string, string> {
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
