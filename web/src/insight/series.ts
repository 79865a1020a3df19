import { total } from '../../../server/series.ts'

export { type Bucket, buckets, dayAfter, total, weeks } from '../../../server/series.ts'

/** What the server tells of each day: oldest first, the last one today (UTC). */
export interface Days {
  from: string
  days: number
  sections: Record<string, number[]>
}

/** The line of a small picture, across `width` and up to `height`, with room for its own thickness. */
export function line(counts: number[], width: number, height: number): string {
  const most = Math.max(1, ...counts)
  const step = counts.length > 1 ? (width - 2) / (counts.length - 1) : 0
  const points = counts.map((count, index) => {
    const [x, y] = [1 + index * step, height - 1.5 - (count / most) * (height - 3)]
    return `${round(x)} ${round(y)}`
  })
  return `M${points.join('L')}`
}

const round = (length: number) => Math.round(length * 10) / 10

/** How many there were on each section up to and with a day: what was before the days, and what they brought. */
export function countsAt(
  { sections }: Days,
  counts: Record<string, number>,
  last: number,
  day: number,
): Record<string, number> {
  const at = (id: string, now: number) => {
    const span = (sections[id] ?? []).slice(-last)
    return Math.max(0, now - total(span.slice(day + 1)))
  }
  return Object.fromEntries(Object.entries(counts).map(([id, now]) => [id, at(id, now)]))
}
