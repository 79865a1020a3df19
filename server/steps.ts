/** The steps of heat, of map, list and command line alike. */

/** One step of the legend: from and to whole numbers of defects; step 0 stands for none at all. */
export interface Step {
  step: number
  from: number
  to: number
}

const MOST_STEPS = 5

/**
 * Steps that tell the sections apart: as many different numbers in each as can be, so that one that stands
 * out does not make all others look the same.
 */
export function steps(counts: number[]): Step[] {
  const numbers = [...new Set(counts)].filter(count => count > 0).sort((a, b) => a - b)
  const many = Math.min(MOST_STEPS, numbers.length)
  const upTo = (step: number) => numbers[Math.ceil((numbers.length * step) / many) - 1] ?? 0
  return Array.from({ length: many }, (_, index) => ({
    step: index + 1,
    from: (index ? upTo(index) : 0) + 1,
    to: upTo(index + 1),
  }))
}

export function stepOf(count: number, scale: Step[]): number {
  if (count === 0) return 0
  return scale.find(({ to }) => count <= to)?.step ?? scale.at(-1)?.step ?? 0
}

export function range({ from, to }: Step): string {
  return from === to ? compact(from) : `${compact(from)}–${compact(to)}`
}

/** Where there is little room: exact to four digits, then three: `12.3K`, `1.2M`. */
export function compact(count: number): string {
  if (count < 10_000) return String(count)
  short ??= new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 })
  return short.format(count)
}
let short: Intl.NumberFormat | undefined
