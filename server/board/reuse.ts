import type { Findings } from './findings.ts'
import type { Shape } from './policy.ts'

const MAX_CHAIN = 16
const MAX_DRAWN = 100_000

/** `<use>` of `<use>` of … can ask a browser for billions of shapes, or for no end of them. */
export function judgeReuse(root: Shape, findings: Findings): void {
  const targets = new Map<string, Shape>()
  collectIds(root, targets)
  const weights = new Map<Shape, number>()
  const under = new Set<Shape>()

  const weigh = (shape: Shape): number => {
    const known = weights.get(shape)
    if (known !== undefined) return known
    let weight = 1
    for (const child of shape.children) if (typeof child !== 'string') weight += weigh(child)
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

function collectIds(shape: Shape, targets: Map<string, Shape>): void {
  const id = shape.attributes.get('id')
  if (id !== undefined && !targets.has(id)) targets.set(id, shape)
  for (const child of shape.children) if (typeof child !== 'string') collectIds(child, targets)
}
