import { nameFault } from '../text.ts'
import { clip, type Fault } from './parse.ts'
import { type Shape, textOf } from './policy.ts'
import { SECTION_SHAPES } from './vocabulary.ts'

export interface Section {
  id: string
  label: string
}

const MAX_LABEL = 80

export const isSectionId = (text: string) => /^[a-z0-9-]{1,40}$/.test(text)

interface Found {
  sections: Map<string, Section>
  lines: Map<string, number>
  faults: Fault[]
}

/** Finds every section; leaves `data-section` and `data-label` on it and nothing else that would name it. */
export function findSections(root: Shape): Pick<Found, 'sections' | 'faults'> {
  const found: Found = { sections: new Map(), lines: new Map(), faults: [] }
  visit(found, root, undefined)
  if (root.attributes.has('data-section'))
    found.faults.push({
      line: root.line,
      text: 'the whole drawing is one section: mark the shapes in it instead',
    })
  return found
}

function visit(found: Found, shape: Shape, outer: string | undefined): void {
  const id = shape.attributes.get('data-section')
  if (id === undefined) {
    shape.attributes.delete('data-label')
    shape.attributes.delete('aria-label')
  } else judge(found, shape, id, outer)
  for (const child of shape.children) if (typeof child !== 'string') visit(found, child, id ?? outer)
}

function judge(found: Found, shape: Shape, id: string, outer: string | undefined): void {
  const fault = (text: string) => found.faults.push({ line: shape.line, text })
  const name = JSON.stringify(clip(id))
  const earlier = found.lines.get(id)
  found.lines.set(id, earlier ?? shape.line)
  if (!isSectionId(id)) fault(`section ${name}: an id is 1 to 40 of a-z, 0-9 and "-": change it`)
  if (earlier !== undefined)
    fault(`section ${name} is there already in line ${earlier}: give each its own id`)
  if (outer !== undefined)
    fault(`section ${name} lies inside section ${JSON.stringify(clip(outer))}: move it out`)
  if (shape.offStage) fault(`section ${name} lies in a definition, where nothing is drawn: move it out`)
  else if (!SECTION_SHAPES.has(shape.name))
    fault(`section ${name}: <${shape.name}> draws no area: mark a group or a shape`)
  const label = readLabel(shape)
  const wrong = label === undefined ? undefined : nameFault(label, MAX_LABEL)
  if (label === undefined)
    fault(`section ${name} has no label: add data-label="…", aria-label="…" or <title>`)
  if (wrong) fault(`section ${name} has a label that ${wrong}: change it`)
  if (label === undefined || earlier !== undefined) return
  shape.attributes.set('data-label', label)
  found.sections.set(id, { id, label })
}

function readLabel(shape: Shape): string | undefined {
  const isTitle = (child: Shape | string) => typeof child !== 'string' && child.name === 'title'
  const title = shape.children.find(isTitle) as Shape | undefined
  const candidates = [
    shape.attributes.get('data-label'),
    shape.attributes.get('aria-label'),
    title && textOf(title),
  ]
  shape.children = shape.children.filter(child => !isTitle(child))
  shape.attributes.delete('aria-label')
  return candidates
    .map(text =>
      text
        ?.replace(/[ \t\r\n]+/g, ' ')
        .trim()
        .normalize('NFC'),
    )
    .find(Boolean)
}
