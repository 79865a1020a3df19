import { type Static, Type } from '@sinclair/typebox'
import { elementsIn } from '../parse.ts'
import type { Shape } from '../policy.ts'
import { labelOf } from '../sections.ts'

const number = Type.Number({ minimum: -1e9, maximum: 1e9 })

/** A part of a section: an element of the drawing by its child indexes, or a shape that was drawn over it. */
const Part = Type.Union([
  Type.Object({ path: Type.String({ pattern: '^(\\d{1,6}(\\.\\d{1,6}){0,99})?$' }) }),
  Type.Object({ rect: Type.Tuple([number, number, number, number]) }),
  Type.Object({ polygon: Type.Array(Type.Tuple([number, number]), { minItems: 3, maxItems: 1000 }) }),
])
export type Part = Static<typeof Part>

const MarkedSection = Type.Object({
  id: Type.String({ maxLength: 200 }),
  label: Type.String({ maxLength: 1000 }),
  parts: Type.Array(Part, { minItems: 1, maxItems: 10_000 }),
})
export type MarkedSection = Static<typeof MarkedSection>

/** Which parts of a drawing are which sections: all that is edited. */
export const Marking = Type.Array(MarkedSection, { maxItems: 10_000 })
export type Marking = Static<typeof Marking>

/** Of a marking that names an element which the drawing does not have, or one twice. */
export class NotOfThisDrawing extends Error {}

/** Those shapes that were drawn over the drawing are told by their ids when the file is opened again. */
const DRAWN_OVER = 'board-drawn-over-'

/** Takes the marks off a drawing; what was drawn over it goes with them, and is added again by `markDrawing`. */
export function takeMarking(root: Shape): Marking {
  const sections = new Map<string, MarkedSection>()
  const take = (shape: Shape, path: string, outer?: string) => {
    const { attributes } = shape
    const id = attributes.get('data-section')
    if (id !== undefined && id !== outer) addPart(sections, id, shape, path)
    for (const [index, child] of elementsIn(shape).entries()) take(child, under(path, index), id ?? outer)
    for (const name of ['data-section', 'data-label']) attributes.delete(name)
  }
  take(root, '')
  root.children = root.children.filter(child => typeof child === 'string' || !isDrawnOver(child))
  return [...sections.values()]
}

function addPart(sections: Map<string, MarkedSection>, id: string, shape: Shape, path: string): void {
  const section = sections.get(id) ?? { id, label: '', parts: [] }
  section.label ||= labelOf(shape) ?? ''
  section.parts.push(isDrawnOver(shape) ? (drawnPart(shape) ?? { path }) : { path })
  sections.set(id, section)
}

const isDrawnOver = ({ attributes }: Shape) => attributes.get('id')?.startsWith(DRAWN_OVER) ?? false

function drawnPart({ name, attributes }: Shape): Part | undefined {
  const numbers = (text = '') => text.split(/[ ,]+/).map(Number)
  if (name === 'rect') {
    const [x = 0, y = 0, width = 0, height = 0] = ['x', 'y', 'width', 'height'].map(key =>
      Number(attributes.get(key)),
    )
    return { rect: [x, y, width, height] }
  }
  const flat = numbers(attributes.get('points'))
  const polygon = flat.flatMap((x, at): [number, number][] => (at % 2 ? [] : [[x, flat[at + 1] ?? 0]]))
  return name === 'polygon' ? { polygon } : undefined
}

const under = (path: string, index: number) => (path ? `${path}.${index}` : String(index))

/** The drawing with its sections marked; the drawing itself stays as it is. */
export function markDrawing(root: Shape, marking: Marking): Shape {
  const marks = new Map<string, [name: string, value: string][]>()
  const drawnOver: Shape[] = []
  for (const { id, label, parts } of marking) {
    for (const part of parts) {
      const mark: [string, string][] = [
        ['data-section', id],
        ['data-label', label],
      ]
      if ('path' in part) {
        if (marks.has(part.path)) throw new NotOfThisDrawing(`${part.path} is marked twice`)
        marks.set(part.path, mark)
      } else drawnOver.push(drawOver(part, drawnOver.length + 1, mark))
    }
  }
  const marked = withMarks(root, '', marks)
  if (marks.size) throw new NotOfThisDrawing(`the drawing has no ${[...marks.keys()].join(', ')}`)
  return { ...marked, children: [...marked.children, ...drawnOver] }
}

function withMarks(shape: Shape, path: string, marks: Map<string, [string, string][]>): Shape {
  const mark = marks.get(path)
  marks.delete(path)
  let index = 0
  return {
    ...shape,
    attributes: mark ? new Map([...shape.attributes, ...mark]) : shape.attributes,
    children: shape.children.map(child =>
      typeof child === 'string' ? child : withMarks(child, under(path, index++), marks),
    ),
  }
}

/** To be seen on a photograph, dark or bright, and through which it is seen. */
const LOOK = {
  fill: '#ffffff',
  'fill-opacity': '0.2',
  stroke: '#1497a3',
  'stroke-width': '2',
  'vector-effect': 'non-scaling-stroke',
}

function drawOver(part: Exclude<Part, { path: string }>, count: number, mark: [string, string][]): Shape {
  const isRect = 'rect' in part
  const [x, y, width, height] = isRect ? part.rect : []
  const geometry = isRect ? { x, y, width, height } : { points: part.polygon.map(String).join(' ') }
  const attributes = Object.entries({ id: DRAWN_OVER + count, ...geometry, ...LOOK })
  return {
    name: isRect ? 'rect' : 'polygon',
    attributes: new Map([...attributes.map(([key, value]): [string, string] => [key, `${value}`]), ...mark]),
    children: [],
    id: undefined,
    line: 1,
    offStage: false,
  }
}
