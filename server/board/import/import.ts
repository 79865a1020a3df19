import type { Findings } from '../findings.ts'
import { elementsIn, get, make, remove, set, type XmlElement } from '../parse.ts'
import { isDrawing, marksSection, refuseActive } from '../policy.ts'
import { viewBoxOf } from '../view-box.ts'
import { SHOWS_IMAGE } from '../vocabulary.ts'
import { cascade, type Styles } from './cascade.ts'
import { setAsText } from './foreign.ts'
import { Images } from './images.ts'
import { backgroundOf, inline } from './properties.ts'

interface Drawing {
  findings: Findings
  images: Images
  styles: Map<XmlElement, Styles>
}

/** Makes of a drawing what a browser shows of it, in elements and attributes that a board may have. */
export function importDrawing(root: XmlElement, findings: Findings): Images {
  const drawing: Drawing = { findings, images: new Images(findings), styles: cascade(root, findings) }
  const background = takeBackground(drawing, root)
  importElement(drawing, root)
  if (background) paintBackground(root, background, findings)
  return drawing.images
}

function importElement(drawing: Drawing, element: XmlElement): void {
  const { findings, styles } = drawing
  const own = styles.get(element)
  if (own?.size) {
    findings.note(element, 'styles are written as attributes')
    inline(element, own, findings)
  }
  remove(element, 'style')
  const children: XmlElement['children'] = []
  for (const child of element.children) {
    const imported = typeof child === 'string' ? child : importChild(drawing, child)
    if (imported !== undefined) children.push(imported)
    else if (marksSection(child as XmlElement))
      findings.warn(child as XmlElement, 'is left out, and a section with it')
  }
  element.children = children
}

/** What takes the place of an element; undefined when nothing does. */
function importChild(drawing: Drawing, element: XmlElement): XmlElement | undefined {
  const { findings, images } = drawing
  // what editors note for themselves, the policy leaves out
  if (!isDrawing(element)) return element
  if (element.name === 'style') return undefined
  if (isUnknownToBrowsers(element)) {
    refuseActive(element, findings)
    findings.note(element, 'made for another program alone: left out, as browsers do')
    return undefined
  }
  if (element.name === 'foreignObject') return importForeign(drawing, element)
  if (SHOWS_IMAGE.has(element.name) && !images.take(element)) return undefined
  if (element.name === 'switch') chooseBranch(element, findings)
  if (element.name === 'a') unlink(element, findings)
  importElement(drawing, element)
  return element
}

function unlink(element: XmlElement, findings: Findings): void {
  findings.note(element, 'links do not lie on a board: the link is left out, its content stays')
  element.name = 'g'
  element.attributes = element.attributes.filter(({ name }) => name !== 'href')
}

function importForeign({ findings, styles }: Drawing, foreign: XmlElement): XmlElement | undefined {
  refuseActive(foreign, findings)
  const text = setAsText(foreign, inner => styles.get(inner))
  findings.warn(
    foreign,
    text ? 'text of HTML is set as SVG text, about where it was' : 'holds no text: left out',
  )
  const shown = [...(styles.get(foreign) ?? [])].filter(([property]) => OF_A_GROUP.has(property))
  if (text) inline(text, new Map(shown), findings)
  return text
}

const OF_A_GROUP = new Set(['display', 'visibility', 'opacity', 'transform'])
const XHTML = 'http://www.w3.org/1999/xhtml'

/** Browsers have none of the extensions that a program may ask for. */
function isUnknownToBrowsers(element: XmlElement): boolean {
  const required = get(element, 'requiredExtensions')?.trim()
  return required !== undefined && required !== XHTML
}

/** A switch shows its first child that can be shown; HTML only where there is no other way. */
function chooseBranch(element: XmlElement, findings: Findings): void {
  const branches = elementsIn(element)
  const shown = branches.filter(branch => isDrawing(branch) && !isUnknownToBrowsers(branch))
  // which language a reader wants, the reader's browser knows
  if (shown.some(branch => get(branch, 'systemLanguage') !== undefined)) return
  const chosen = shown.find(({ name }) => name !== 'foreignObject') ?? shown[0]
  for (const branch of branches) {
    if (branch === chosen) continue
    refuseActive(branch, findings)
    moveSection(branch, element)
  }
  element.name = 'g'
  element.children = chosen ? [chosen] : []
  findings.note(element, 'of a <switch> the branch that SVG can show is kept')
}

/** A mark on a branch that is not shown is meant for the switch. */
function moveSection(branch: XmlElement, to: XmlElement): void {
  if (get(branch, 'data-section') === undefined) return
  for (const name of ['data-section', 'data-label', 'aria-label']) {
    const value = get(branch, name)
    if (value !== undefined && get(to, name) === undefined) set(to, name, value)
  }
}

function takeBackground({ styles, findings }: Drawing, root: XmlElement): string | undefined {
  const said = styles.get(root)
  if (!said) return undefined
  const own = new Map(said)
  styles.set(root, own)
  const background = backgroundOf(own)
  if (!background && /url\(/i.test(own.get('background') ?? ''))
    findings.warn(root, 'style: pictures behind the drawing are left out')
  own.delete('background')
  for (const name of ['width', 'height'])
    if (get(root, name) !== undefined || get(root, 'viewBox') !== undefined) own.delete(name)
  return background
}

function paintBackground(root: XmlElement, fill: string, findings: Findings): void {
  const viewBox = viewBoxOf(name => get(root, name))
  if (!viewBox) return
  const [x, y, width, height] = viewBox.split(' ') as [string, string, string, string]
  root.children.unshift(make(root, 'rect', { x, y, width, height, fill, stroke: 'none' }))
  findings.note(root, 'style: the background is drawn as a rectangle')
}
