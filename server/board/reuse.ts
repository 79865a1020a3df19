import type { Findings } from './findings.ts'
import { descendants, elementsIn } from './parse.ts'
import type { Shape } from './policy.ts'

const MAX_CHAIN = 16
const MAX_DRAWN = 100_000

/** `<use>` of `<use>` of … can ask a browser for billions of shapes, or for no end of them. */
export function judgeReuse(root: Shape, findings: Findings): void {
  const shapes = descendants(root)
  if (!shapes.some(({ name }) => name === 'use')) return
  // of two with one id the first is meant
  const targets = new Map(shapes.reverse().map(shape => [shape.attributes.get('id'), shape]))
  const weights = new Map<Shape, number>()
  const under = new Set<Shape>()

  const weigh = (shape: Shape): number => {
    const known = weights.get(shape)
    if (known !== undefined) return known
    let weight = 1
    for (const child of elementsIn(shape)) weight += weigh(child)
    if (shape.name === 'use') weight += weighTarget(shape)
    weights.set(shape, weight)
    return weight
  }
  const weighTarget = (use: Shape): number => {
    const target = targets.get(use.attributes.get('href')?.slice(1) ?? '')
    if (!target) return 0
    if (under.size >= MAX_CHAIN || under.has(target)) {
      findings.fault(use, ' repeats itself or goes through too many others: draw the shape here')
      return 0
    }
    under.add(target)
    const weight = weigh(target)
    under.delete(target)
    return weight
  }

  const drawn = weigh(root)
  if (drawn > MAX_DRAWN)
    findings.fault(root, `: its <use> elements make more than ${MAX_DRAWN} shapes: repeat less`)
}
