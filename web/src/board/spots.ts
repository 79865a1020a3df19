import { boxes, SHAPES } from './outline.ts'

/** Where a section lies, in the drawing's coordinates. */
export interface Spot {
  /** the middle of its widest free place, and how far that is from its edge */
  x: number
  y: number
  radius: number
  area: number
  box: DOMRect
}

interface Drawn {
  svg: SVGSVGElement
  sections: { id: string; button: SVGElement }[]
}

interface Shape {
  element: SVGGeometryElement
  toLocal: DOMMatrix
  box: DOMRect
}

interface Sampled {
  shapes: Shape[]
  box: DOMRect
  cell: number
  inside: DOMPoint[]
}

const SAMPLES = 300

/** Looks at the drawn sections: where each is free of smaller ones, and which is to lie above which. */
export function findSpots({ svg, sections }: Drawn): Map<string, Spot> {
  const toDrawing = DOMMatrix.fromMatrix(svg.getScreenCTM()!).inverse()
  const sampled = new Map(sections.map(({ id, button }) => [id, sample(button, toDrawing)]))
  const areaOf = ({ inside, cell }: Sampled) => Math.max(inside.length, 0.5) * cell * cell
  return new Map(
    [...sampled].map(([id, section]) => {
      const area = areaOf(section)
      const smaller = [...sampled.values()].filter(
        other => other !== section && areaOf(other) < area && overlap(other.box, section.box),
      )
      const isFree = (point: DOMPoint) => !smaller.some(other => isIn(other.shapes, point))
      return [id, { ...middleOf(section, section.inside.filter(isFree)), area, box: section.box }]
    }),
  )
}

/** A section lies above the larger ones that it meets; else all lie in the order of the drawing. */
export function stack<T extends { spot: Spot }>(sections: T[]): T[] {
  const rest = [...sections]
  const stacked: T[] = []
  while (rest.length) {
    const next = rest.findIndex(
      ({ spot }) => !rest.some(other => other.spot.area > spot.area && overlap(other.spot.box, spot.box)),
    )
    stacked.push(...rest.splice(next, 1))
  }
  return stacked
}

function sample(button: SVGElement, toDrawing: DOMMatrix): Sampled {
  const shapes = [...button.querySelectorAll<SVGGeometryElement>(SHAPES)].flatMap(element => {
    const shape = shapeOf(element, toDrawing)
    return shape ? [shape] : []
  })
  const box = boxAround(shapes.flatMap(({ box }) => [box, new DOMPoint(box.right, box.bottom)]))
  const cell = Math.max(Math.sqrt((box.width * box.height) / SAMPLES), Math.max(box.width, box.height) / 60)
  const inside: DOMPoint[] = []
  for (const x of steps(box.x, box.width, cell))
    for (const y of steps(box.y, box.height, cell)) {
      const point = new DOMPoint(x, y)
      if (isIn(shapes, point)) inside.push(point)
    }
  return { shapes, box, cell, inside }
}

function steps(from: number, length: number, cell: number): number[] {
  const many = Math.max(1, Math.round(length / cell))
  return Array.from({ length: many }, (_, index) => from + ((index + 0.5) * length) / many)
}

function shapeOf(element: SVGGeometryElement, toDrawing: DOMMatrix): Shape | undefined {
  const source = boxes.get(element)
  const own = (source ?? element).getBBox()
  if (source)
    for (const name of ['x', 'y', 'width', 'height'] as const) element.setAttribute(name, String(own[name]))
  const screen = element.getScreenCTM()
  if (!screen || !(own.width || own.height)) return undefined
  const matrix = toDrawing.multiply(screen)
  const grown = element.classList.contains('line')
    ? Number.parseFloat(getComputedStyle(element).strokeWidth) / 2
    : 0
  const [left, right] = [own.x - grown, own.x + own.width + grown]
  const [top, bottom] = [own.y - grown, own.y + own.height + grown]
  const corners = [
    [left, top],
    [right, top],
    [left, bottom],
    [right, bottom],
  ].map(([x, y]) => new DOMPoint(x, y).matrixTransform(matrix))
  return { element, toLocal: matrix.inverse(), box: boxAround(corners) }
}

function isIn(shapes: Shape[], point: DOMPoint): boolean {
  return shapes.some(({ element, toLocal, box }) => {
    if (point.x < box.left || point.x > box.right || point.y < box.top || point.y > box.bottom) return false
    const local = point.matrixTransform(toLocal)
    return element.classList.contains('line') ? element.isPointInStroke(local) : element.isPointInFill(local)
  })
}

/** Of the points the one that is farthest from the edge; of several the one nearest to the middle of all. */
function middleOf({ box, cell, inside, shapes }: Sampled, free: DOMPoint[]) {
  const { x, y, width, height } = box
  const center = new DOMPoint(x + width / 2, y + height / 2)
  const isFree = new Set(free.map(({ x, y }) => `${x} ${y}`))
  const outside = steps(x, width, cell).flatMap(x =>
    steps(y, height, cell).flatMap(y => (isFree.has(`${x} ${y}`) ? [] : [new DOMPoint(x, y)])),
  )
  const radiusAt = (point: DOMPoint) =>
    Math.min(
      point.x - box.left,
      box.right - point.x,
      point.y - box.top,
      box.bottom - point.y,
      ...outside.map(other => distance(point, other) - cell / 2),
    )
  let best: { x: number; y: number; radius: number } | undefined
  let most = Number.NEGATIVE_INFINITY
  for (const point of free) {
    const radius = radiusAt(point)
    const worth = radius - distance(point, center) / 20
    if (worth > most) [best, most] = [{ x: point.x, y: point.y, radius: Math.max(0, radius) }, worth]
  }
  return best ?? { ...(inside[0] ?? onLine(shapes) ?? center), radius: 0 }
}

/** What is thinner than the samples are apart is met on the way along it. */
function onLine(shapes: Shape[]): { x: number; y: number } | undefined {
  const [shape] = shapes
  if (!shape) return undefined
  const { element, toLocal } = shape
  const { x, y } = DOMPoint.fromPoint(element.getPointAtLength(element.getTotalLength() / 2)).matrixTransform(
    toLocal.inverse(),
  )
  return { x, y }
}

const distance = (a: DOMPoint, b: DOMPoint) => Math.hypot(a.x - b.x, a.y - b.y)

const overlap = (a: DOMRect, b: DOMRect) =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom

function boxAround(points: { x: number; y: number }[]): DOMRect {
  if (!points.length) return new DOMRect()
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)]
  const [x, y] = [Math.min(...xs), Math.min(...ys)]
  return new DOMRect(x, y, Math.max(...xs) - x, Math.max(...ys) - y)
}
