export interface Pace {
  /** pushes that may wait; beyond that the oldest is dropped */
  capacity: number
  atOnce: number
  /** before each further try of a push */
  backOffMs: readonly number[]
  /** after its first try a push is given up */
  windowMs: number
  /** of one attempt */
  deadlineMs: number
  databaseRetryMs: number
}

export const pace: Pace = {
  capacity: 10_000,
  atOnce: 8,
  backOffMs: [1_000, 4_000, 15_000, 60_000, 240_000],
  windowMs: 10 * 60_000,
  deadlineMs: 10_000,
  databaseRetryMs: 2_000,
}
