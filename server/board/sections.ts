import { nameFault } from '../text.ts'
import { clip, type Findings } from './findings.ts'
import { elementsIn, textIn } from './parse.ts'
import type { Shape } from './policy.ts'
import { SECTION_SHAPES } from './vocabulary.ts'

export interface Section {
  id: string
  label: string
}

export const MAX_LABEL = 80

export const isSectionId = (text: string) => /^[a-z0-9-]{1,40}$/.test(text)

/** Finds every section; leaves `data-section` and `data-label` on its elements and nothing else that would name it. */
export function findSections(root: Shape, findings: Findings): Map<string, Section> {
  const marked: Shape[] = []
  visit(root, undefined, marked, findings)
  if (root.attributes.has('data-section'))
    findings.fault(root, ': the whole drawing is one section: mark the shapes in it instead')
  const sections = new Map<string, Section>()
  for (const [id, shapes] of Map.groupBy(marked, shape => shape.attributes.get('data-section')!)) {
    const label = nameSection(id, shapes, findings)
    if (label !== undefined) sections.set(id, { id, label })
  }
  return sections
}

function visit(shape: Shape, outer: string | undefined, marked: Shape[], findings: Findings): void {
  let id = shape.attributes.get('data-section')
  // an element inside another of its own section adds nothing to it
  if (id !== undefined && id === outer) shape.attributes.delete('data-section')
  else if (id !== undefined) {
    judgePlace(shape, id, outer, findings)
    marked.push(shape)
  }
  id ??= outer
  for (const child of elementsIn(shape)) visit(child, id, marked, findings)
  if (!shape.attributes.has('data-section')) dropLabels(shape)
}

function judgePlace(shape: Shape, id: string, outer: string | undefined, findings: Findings): void {
  const fault = (text: string) => findings.fault(shape, `: section ${JSON.stringify(clip(id))} ${text}`)
  if (outer !== undefined) fault(`lies inside section ${JSON.stringify(clip(outer))}: move it out`)
  if (shape.offStage) fault('lies in a definition, where nothing is drawn: move it out')
  else if (!SECTION_SHAPES.has(shape.name)) fault('draws no area here: mark a group or a shape')
}

/** The label of all elements of one section, from the first that has one. */
function nameSection(id: string, shapes: Shape[], findings: Findings): string | undefined {
  const name = JSON.stringify(clip(id))
  const first = shapes[0]!
  const labels = shapes.map(readLabel)
  const label = labels.find(text => text !== undefined)
  const wrong = label === undefined ? undefined : nameFault(label, MAX_LABEL)
  if (!isSectionId(id))
    findings.fault(first, `: section ${name}: an id is 1 to 40 of a-z, 0-9 and "-": change it`)
  if (label === undefined)
    findings.fault(first, `: section ${name} has no label: add data-label="…", aria-label="…" or <title>`)
  if (wrong) findings.fault(first, `: section ${name} has a label that ${wrong}: change it`)
  if (label === undefined) return undefined
  for (const [index, shape] of shapes.entries()) {
    if (labels[index] !== undefined && labels[index] !== label)
      findings.warn(shape, `section ${name} has more than one label: ${JSON.stringify(clip(label))} is read`)
    shape.attributes.set('data-label', label)
  }
  return label
}

function readLabel(shape: Shape): string | undefined {
  const label = labelOf(shape)
  dropLabels(shape)
  shape.children = shape.children.filter(child => typeof child === 'string' || child.name !== 'title')
  return label
}

/** What people read for it. */
export function labelOf(shape: Shape): string | undefined {
  const { attributes } = shape
  const title = elementsIn(shape).find(({ name }) => name === 'title')
  const said = [attributes.get('data-label'), attributes.get('aria-label'), title && textIn(title)]
  const plain = said.map(text => text?.replace(/[ \t\r\n]+/g, ' ').trim())
  return plain.find(Boolean)?.normalize('NFC')
}

function dropLabels({ attributes }: Shape): void {
  attributes.delete('data-label')
  attributes.delete('aria-label')
}
