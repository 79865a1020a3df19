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
