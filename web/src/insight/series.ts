/** What the server tells of each day: oldest first, the last one today (UTC). */
export interface Days {
  from: string
  days: number
  sections: Record<string, number[]>
}

export interface Bucket {
  /** its first day, as in `2026-11-30` */
  from: string
  count: number
}

const DAY_MS = 86_400_000
const WEEK = 7
/** A month by days is still told apart in a small picture. */
const MOST_DAYS = 31

export const total = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0)

/** Single days of a short time, weeks of a long one. */
export function buckets(from: string, counts: number[]): Bucket[] {
  return counts.length <= MOST_DAYS
    ? counts.map((count, index) => ({ from: dayAfter(from, index), count }))
    : weeks(from, counts)
}

/** Whole weeks that end today; days before the first are left out. */
export function weeks(from: string, counts: number[]): Bucket[] {
  const first = counts.length % WEEK
  return Array.from({ length: Math.floor(counts.length / WEEK) }, (_, week) => {
    const begin = first + week * WEEK
    return { from: dayAfter(from, begin), count: total(counts.slice(begin, begin + WEEK)) }
  })
}

export function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10)
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
