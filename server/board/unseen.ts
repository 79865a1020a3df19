import { clip, type Findings } from './findings.ts'
import { elementsIn } from './parse.ts'
import type { Shape } from './policy.ts'

/** As in a transform: x' = a x + c y + e, y' = b x + d y + f. */
type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number]
type Point = readonly [x: number, y: number]

interface Surroundings {
  section: Seen | undefined
  hidden: boolean
  visibility: string
  /** undefined where it would take a browser to know */
  matrix: Matrix | undefined
}

/** How many shapes of a section are drawn at all, how many of those can be seen, how many lie in the view. */
interface Seen {
  first: Shape
  drawn: number
  visible: number
  inside: number
  /** of the shapes that can be seen */
  outlines: Set<string>
}

const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0]

/** Warns of sections that nobody can see or press, where that shows without drawing them. */
export function warnUnseen(root: Shape, viewBox: string, findings: Findings): void {
  const sections = new Map<string, Seen>()
  const [x = 0, y = 0, width = 0, height = 0] = viewBox.split(' ').map(Number)
  const isInside = (points: Point[]) =>
    points.some(([px]) => px >= x) &&
    points.some(([px]) => px <= x + width) &&
    points.some(([, py]) => py >= y) &&
    points.some(([, py]) => py <= y + height)

  const visit = (shape: Shape, outer: Surroundings): void => {
    const here = surroundingsOf(shape, outer, sections)
    const { section, matrix } = here
    const isVisible = !here.hidden && here.visibility !== 'hidden' && here.visibility !== 'collapse'
    if (section && drawsItself(shape)) {
      section.drawn++
      const points = matrix && cornersOf(shape)?.map(point => moved(point, matrix))
      if (isVisible) section.visible++
      if (isVisible) section.outlines.add(outlineOf(shape, matrix))
      if (isVisible && (!points || isInside(points))) section.inside++
    }
    for (const child of elementsIn(shape)) if (!child.offStage) visit(child, here)
  }
  visit({ ...root, attributes: new Map(root.attributes).set('transform', '') }, OUTSIDE)

  for (const [id, { first, drawn, visible, inside }] of sections) {
    const name = `section ${JSON.stringify(clip(id))}`
    if (!drawn) findings.warn(first, `${name} is empty: nobody can see or press it`)
    else if (!visible) findings.warn(first, `${name} is hidden: nobody can see or press it`)
    else if (!inside) findings.warn(first, `${name} lies outside the view: nobody can see or press it`)
  }
  warnCovered(sections, findings)
}

/** A smaller section is above a larger one, so only one of the same outline covers another wholly: the one drawn later. */
function warnCovered(sections: Map<string, Seen>, findings: Findings): void {
  const seen = [...sections].filter(([, { inside }]) => inside)
  const alike = Map.groupBy(seen, ([, { outlines }]) => [...outlines].sort().join('\n'))
  for (const group of alike.values()) {
    const [last = ''] = group.at(-1)!
    for (const [id, { first }] of group.slice(0, -1)) {
      const [name, other] = [id, last].map(id => `section ${JSON.stringify(clip(id))}`)
      findings.warn(first, `${name} is covered wholly by ${other}: nobody can press it`)
    }
  }
}

const PLACE = 'x y width height cx cy r rx ry d points x1 y1 x2 y2 href'.split(' ')

/** The same for shapes that take the same place; where that takes a browser to know, for none. */
function outlineOf(shape: Shape, matrix: Matrix | undefined): string {
  if (!matrix || shape.name === 'text') return crypto.randomUUID()
  const geometry = PLACE.map(name => shape.attributes.get(name) ?? '')
  return JSON.stringify([shape.name, geometry, matrix])
}

const OUTSIDE: Surroundings = { section: undefined, hidden: false, visibility: 'visible', matrix: IDENTITY }

function surroundingsOf(shape: Shape, outer: Surroundings, sections: Map<string, Seen>): Surroundings {
  const { attributes } = shape
  const id = attributes.get('data-section')
  const section =
    id === undefined
      ? outer.section
      : (sections.get(id) ?? {
          first: shape,
          drawn: 0,
          visible: 0,
          inside: 0,
          outlines: new Set<string>(),
        })
  if (id !== undefined && section) sections.set(id, section)
  return {
    section,
    hidden:
      outer.hidden || attributes.get('display') === 'none' || Number(attributes.get('opacity') ?? 1) === 0,
    visibility: attributes.get('visibility') ?? outer.visibility,
    matrix: shape.name === 'svg' && outer !== OUTSIDE ? undefined : matrixWithin(outer.matrix, attributes),
  }
}

function matrixWithin(outer: Matrix | undefined, attributes: Map<string, string>): Matrix | undefined {
  const transform = attributes.get('transform')
  if (!outer || !transform) return outer
  const own = matrixOf(transform)
  return own && times(outer, own)
}

function drawsItself({ name, attributes, children }: Shape): boolean {
  const has = (...names: string[]) =>
    names.every(key => attributes.has(key) && Number(attributes.get(key)) !== 0)
  switch (name) {
    case 'rect':
      return has('width', 'height')
    case 'circle':
      return has('r')
    case 'ellipse':
      return attributes.has('rx') || attributes.has('ry')
    case 'path':
      return /\d/.test(attributes.get('d') ?? '')
    case 'polyline':
    case 'polygon':
      return /\d/.test(attributes.get('points') ?? '')
    case 'text':
      return children.length > 0
    default:
      return ['line', 'use', 'image'].includes(name)
  }
}

/** The box of a plain shape; undefined for the others, and for lengths with units. */
function cornersOf({ name, attributes }: Shape): Point[] | undefined {
  const number = (key: string) => Number(attributes.get(key) ?? 0)
  const box = (x: number, y: number, width: number, height: number): Point[] | undefined =>
    [x, y, width, height].every(Number.isFinite)
      ? [
          [x, y],
          [x + width, y],
          [x, y + height],
          [x + width, y + height],
        ]
      : undefined
  switch (name) {
    case 'rect':
    case 'image':
      return box(number('x'), number('y'), number('width'), number('height'))
    case 'circle':
      return box(number('cx') - number('r'), number('cy') - number('r'), 2 * number('r'), 2 * number('r'))
    case 'ellipse':
      return box(number('cx') - number('rx'), number('cy') - number('ry'), 2 * number('rx'), 2 * number('ry'))
    case 'line':
      return box(number('x1'), number('y1'), number('x2') - number('x1'), number('y2') - number('y1'))
    default:
      return undefined
  }
}

const CALL = /\s*,?\s*([a-zA-Z]+)\s*\(([^)]*)\)\s*/y

function matrixOf(transform: string): Matrix | undefined {
  let matrix = IDENTITY
  CALL.lastIndex = 0
  for (let end = 0; end < transform.trimEnd().length; end = CALL.lastIndex) {
    const [, name = '', text = ''] = CALL.exec(transform) ?? []
    const one = callOf(name, (text.match(/[^\s,]+/g) ?? []).map(Number))
    if (!one?.every(Number.isFinite)) return undefined
    matrix = times(matrix, one)
  }
  return matrix
}

function callOf(name: string, [a = Number.NaN, b, c, d, e, f]: number[]): Matrix | undefined {
  if (name === 'translate') return [1, 0, 0, 1, a, b ?? 0]
  if (name === 'scale') return [a, 0, 0, b ?? a, 0, 0]
  if (name === 'matrix')
    return [a, b ?? Number.NaN, c ?? Number.NaN, d ?? Number.NaN, e ?? Number.NaN, f ?? Number.NaN]
  if (name !== 'rotate') return undefined
  const [cos, sin] = [Math.cos((a * Math.PI) / 180), Math.sin((a * Math.PI) / 180)]
  const [x, y] = [b ?? 0, c ?? 0]
  return [cos, sin, -sin, cos, x - cos * x + sin * y, y - sin * x - cos * y]
}

function times([a, b, c, d, e, f]: Matrix, [g, h, i, j, k, l]: Matrix): Matrix {
  return [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f]
}

const moved = ([x, y]: Point, [a, b, c, d, e, f]: Matrix): Point => [a * x + c * y + e, b * x + d * y + f]
