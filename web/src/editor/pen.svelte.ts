import type { Part } from '../../../server/editor/edited-board.ts'

export type Point = [x: number, y: number]

const STEPS = 40
const FINE_STEPS = 400

/** Draws one rectangle or polygon over the drawing, by pointer or by keys. */
export class Pen {
  points = $state.raw<Point[]>([])
  /** where the next point would be put */
  cursor = $state.raw<Point>()
  private readonly digits: number

  constructor(
    private readonly box: { x: number; y: number; width: number; height: number },
    private readonly done: (part: Part) => void,
  ) {
    this.digits = Math.max(0, 4 - Math.ceil(Math.log10(Math.max(box.width, box.height))))
  }

  /** Within the drawing, and no more exact than anybody can see. */
  private place([x, y]: Point): Point {
    const { box } = this
    const within = (value: number, from: number, length: number) =>
      Number(Math.min(Math.max(value, from), from + length).toFixed(this.digits))
    return [within(x, box.x, box.width), within(y, box.y, box.height)]
  }

  move(point: Point): void {
    this.cursor = this.place(point)
  }

  step(x: number, y: number, fine: boolean): void {
    const { box } = this
    const [fromX, fromY] = this.cursor ?? [box.x + box.width / 2, box.y + box.height / 2]
    const by = Math.max(box.width, box.height) / (fine ? FINE_STEPS : STEPS)
    this.move([fromX + x * by, fromY + y * by])
  }

  /** Puts a point; the second of a rectangle ends it, and the last of a polygon put again. */
  put(tool: 'rectangle' | 'polygon', isNear: (a: Point, b: Point) => boolean): void {
    const { cursor, points } = this
    if (!cursor) return
    const [first, last] = [points[0], points.at(-1)]
    if (tool === 'rectangle') this.putCorner(cursor, first)
    else if (points.length > 2 && [first, last].some(point => isNear(point!, cursor))) this.finish()
    else if (!last || !isNear(last, cursor)) this.points = [...points, cursor]
  }

  private putCorner([x, y]: Point, first: Point | undefined): void {
    if (!first) this.points = [[x, y]]
    else if (x !== first[0] && y !== first[1]) {
      const [left, top] = [Math.min(x, first[0]), Math.min(y, first[1])]
      const round = (value: number) => Number(value.toFixed(this.digits))
      this.end({ rect: [left, top, round(Math.abs(x - first[0])), round(Math.abs(y - first[1]))] })
    }
  }

  finish(): void {
    if (this.points.length > 2) this.end({ polygon: this.points })
  }

  private end(part: Part): void {
    this.points = []
    this.done(part)
  }

  takeBack(): void {
    this.points = this.points.slice(0, -1)
  }

  drop(): void {
    this.points = []
    this.cursor = undefined
  }
}
