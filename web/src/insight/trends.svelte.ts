import { trends } from '../lib/api.ts'
import type { Narrowed } from '../lib/narrowing.ts'
import { type Bucket, buckets, type Days, dayAfter, total } from './series.ts'

/** The server tells no more days than these. */
const MOST = 366

export interface Trend {
  points: Bucket[]
  /** against the span before; unknown where that lies further back than the server tells */
  change: number | undefined
}

/** How many defects each section had on each day of the chosen span, and in the span before. */
export class Trends {
  asked = $state.raw<Days>()
  /** of the span; all time is the last year */
  days = $state(0)
  readonly last = $derived(this.days || MOST)
  readonly from = $derived(this.asked && dayAfter(this.asked.from, this.asked.days - this.last))

  async load({ days = 0, ...rest }: Narrowed): Promise<void> {
    try {
      const asked = await trends(days ? Math.min(MOST, 2 * days) : MOST, rest)
      this.days = days
      this.asked = asked
    } catch {
      // Numbers stand without their history.
      this.asked = undefined
    }
  }

  of(section: string): Trend | undefined {
    const { asked, last, from } = this
    if (!asked || !from) return undefined
    const all = asked.sections[section] ?? Array.from({ length: asked.days }, () => 0)
    const [before, now] = [all.slice(-2 * last, -last), all.slice(-last)]
    return {
      points: buckets(from, now),
      change: before.length === last ? total(now) - total(before) : undefined,
    }
  }
}
