/** Steps 1 to 5 of the map, each a range of whole numbers; 0 stands for itself. */
export interface Step {
  step: number
  from: number
  to: number
}

const MOST_STEPS = 5

/** At most five steps up to the worst section; fewer when there are not as many different numbers. */
export function steps(worst: number): Step[] {
  const many = Math.min(MOST_STEPS, worst)
  const bound = (index: number) => Math.ceil((worst * index) / many)
  return Array.from({ length: many }, (_, index) => ({
    step: index + 1,
    from: bound(index) + 1,
    to: bound(index + 1),
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

export function defects(count: number): string {
  return `${String(count).replace(/\B(?=(\d{3})+$)/g, ',')} ${count === 1 ? 'defect' : 'defects'}`
}
