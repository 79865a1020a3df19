import { boxes, SHAPES } from './outline.ts'

/** Where a section lies, in the drawing's coordinates. */
export interface Spot {
  /** the middle of its widest free place, and how far that is from its edge */
  x: number
  y: number
  radius: number
  area: number
  box: DOMRect
  /** some points on it */
  points: DOMPoint[]
}

interface Drawn {
  svg: SVGSVGElement
  sections: { id: string; button: SVGElement; parts: SVGElement[] }[]
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
  /** what is written on it */
  words: DOMRect[]
}

/** Of one section, and of all together. */
const SAMPLES = 200
const ALL_SAMPLES = 15_000
const CLOSER = 6

/** Looks at the drawn sections: where each is free of smaller ones, and which is to lie above which. */
export function findSpots({ svg, sections }: Drawn): Map<string, Spot> {
  const toDrawing = DOMMatrix.fromMatrix(svg.getScreenCTM()!).inverse()
  sizeBoxes(sections.map(({ button }) => button))
  const many = Math.min(SAMPLES, ALL_SAMPLES / sections.length)
  const sampled = new Map(
    sections.map(({ id, button, parts }) => [id, sample(button, parts, toDrawing, many)]),
  )
  const areaOf = ({ inside, cell }: Sampled) => Math.max(inside.length, 0.5) * cell * cell
  return new Map(
    [...sampled].map(([id, section]) => {
      const area = areaOf(section)
      const smaller = [...sampled.values()].filter(
        other => other !== section && areaOf(other) < area && overlap(other.box, section.box),
      )
      const isFree = (point: DOMPoint) => !smaller.some(other => isIn(other.shapes, point))
      const free = section.inside.filter(isFree)
      const place = placeFor(section, free.length ? free : narrowPlaces(section).filter(isFree))
      return [id, { ...place, area, box: section.box, points: someOf(section.inside) }]
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

function sample(button: SVGElement, parts: SVGElement[], toDrawing: DOMMatrix, many: number): Sampled {
  const shapes = [...button.querySelectorAll<SVGGeometryElement>(SHAPES)].flatMap(element => {
    const shape = shapeOf(element, toDrawing)
    return shape ? [shape] : []
  })
  const box = boxAround(shapes.flatMap(({ box }) => [box, new DOMPoint(box.right, box.bottom)]))
  const cell = Math.max(Math.sqrt((box.width * box.height) / many), Math.max(box.width, box.height) / 60)
  const inside = grid(box, cell).filter(point => isIn(shapes, point))
  const texts = parts.flatMap(part => [...part.querySelectorAll('text')])
  const words = texts.map(text => boxOf(text.getBBox(), toDrawing.multiply(text.getScreenCTM() ?? toDrawing)))
  return { shapes, box, cell, inside, words }
}

const SOME = 9

const someOf = (points: DOMPoint[]) =>
  points.filter((_, index) => index % Math.ceil(points.length / SOME) === 0)

function grid({ x, y, width, height }: DOMRect, cell: number): DOMPoint[] {
  return steps(x, width, cell).flatMap(x => steps(y, height, cell).map(y => new DOMPoint(x, y)))
}

function steps(from: number, length: number, cell: number): number[] {
  const many = Math.max(1, Math.round(length / cell))
  return Array.from({ length: many }, (_, index) => from + ((index + 0.5) * length) / many)
}

/** All are measured before any is changed: else the whole drawing would be laid out again for each. */
function sizeBoxes(buttons: SVGElement[]): void {
  const measured = buttons
    .flatMap(button => [...button.querySelectorAll('rect')])
    .map(rect => ({ rect, box: boxes.get(rect)?.getBBox() }))
  for (const { rect, box } of measured)
    for (const name of ['x', 'y', 'width', 'height'] as const)
      if (box) rect.setAttribute(name, String(box[name]))
}

function shapeOf(element: SVGGeometryElement, toDrawing: DOMMatrix): Shape | undefined {
  const own = element.getBBox()
  const screen = element.getScreenCTM()
  if (!screen || !(own.width || own.height)) return undefined
  const matrix = toDrawing.multiply(screen)
  const grown = element.classList.contains('line')
    ? Number.parseFloat(getComputedStyle(element).strokeWidth) / 2
    : 0
  const box = new DOMRect(own.x - grown, own.y - grown, own.width + 2 * grown, own.height + 2 * grown)
  return { element, toLocal: matrix.inverse(), box: boxOf(box, matrix) }
}

/** Around a box that is moved. */
function boxOf({ x, y, width, height }: DOMRect, matrix: DOMMatrix): DOMRect {
  const corners = [
    [x, y],
    [x + width, y],
    [x, y + height],
    [x + width, y + height],
  ]
  return boxAround(corners.map(([x, y]) => new DOMPoint(x, y).matrixTransform(matrix)))
}

function isIn(shapes: Shape[], point: DOMPoint): boolean {
  return shapes.some(({ element, toLocal, box }) => {
    if (!holds(box, point)) return false
    const local = point.matrixTransform(toLocal)
    return element.classList.contains('line') ? element.isPointInStroke(local) : element.isPointInFill(local)
  })
}

/** Where a number stands: beside the words, if there is room. */
function placeFor(section: Sampled, free: DOMPoint[]) {
  const middle = middleOf(section, free)
  const beside = middleOf(
    section,
    free.filter(point => !section.words.some(words => holds(words, point))),
  )
  return beside.radius <= middle.radius / 3 ? middle : { ...beside, radius: middle.radius }
}

/** Of the points the one that is farthest from the edge; of several the one nearest to the middle of all. */
function middleOf({ box, cell }: Sampled, free: DOMPoint[]) {
  const { x, y, width, height } = box
  const center = new DOMPoint(x + width / 2, y + height / 2)
  const isFree = new Set(free.map(({ x, y }) => `${x} ${y}`))
  const outside = grid(box, cell).filter(({ x, y }) => !isFree.has(`${x} ${y}`))
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
  return best ?? { x: center.x, y: center.y, radius: 0 }
}

/** What is thinner than the samples are apart is met by closer ones, or on the way along it. */
function narrowPlaces({ shapes, box, cell }: Sampled): DOMPoint[] {
  const close = grid(box, cell / CLOSER).filter(point => isIn(shapes, point))
  if (close.length) return close
  return shapes.slice(0, SAMPLES).flatMap(shape => {
    const length = shape.element.getTotalLength()
    const toDrawing = shape.toLocal.inverse()
    return [0.5, 0.25, 0.75]
      .map(part =>
        DOMPoint.fromPoint(shape.element.getPointAtLength(part * length)).matrixTransform(toDrawing),
      )
      .filter(point => isIn([shape], point))
  })
}

const distance = (a: DOMPoint, b: DOMPoint) => Math.hypot(a.x - b.x, a.y - b.y)

const holds = ({ left, right, top, bottom }: DOMRect, { x, y }: DOMPoint) =>
  x >= left && x <= right && y >= top && y <= bottom

const overlap = (a: DOMRect, b: DOMRect) =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom

function boxAround(points: { x: number; y: number }[]): DOMRect {
  if (!points.length) return new DOMRect()
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)]
  const [x, y] = [Math.min(...xs), Math.min(...ys)]
  return new DOMRect(x, y, Math.max(...xs) - x, Math.max(...ys) - y)
}
