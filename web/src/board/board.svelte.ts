import { boardPicture, type Counts, counts, onBoardVersion } from '../lib/api.ts'
import { recall, remember } from '../lib/memory.ts'
import { stepOf, steps } from './heat.ts'
import { type Picture, readPicture } from './picture.ts'

export const spans = [
  { days: 7, name: '7 days' },
  { days: 30, name: '30 days' },
  { days: 0, name: 'All time' },
] as const

export interface Place {
  id: string
  label: string
  count: number
  step: number
  retired: boolean
}

/** Worst first, but for those that have nothing to tell: they are folded away. */
export interface Ranks {
  worst: Place[]
  /** without defects in the span */
  quiet: Place[]
  retired: Place[]
}

/** The map of weak points: the picture, its sections, and how many defects each has in the chosen span. */
export class Board {
  picture = $state.raw<Picture>()
  counts = $state.raw<Counts>()
  /** of an earlier day, while the past is played */
  played = $state.raw<Counts>()
  /** when the counts were right that are shown */
  countedAt = $state.raw<Date>()
  failed = $state(false)
  /** the server shows another board than the one this page opened with */
  changed = $state(false)
  days = $state(Number(recall('span') ?? 0))
  /** the order of the list; it changes only when nobody can be reading or aiming at it */
  private ranking = $state.raw<string[]>([])

  /** width by height: the last one seen while the picture is not there yet */
  readonly ratio = $derived(this.picture?.ratio ?? (Number(recall('ratio')) || 1))
  private readonly labels = $derived(new Map(this.picture?.sections.map(({ id, label }) => [id, label])))
  readonly scale = $derived(steps([...this.labels.keys()].map(id => this.count(id))))
  readonly places: Place[] = $derived(this.ids().map(id => this.place(id)))
  readonly ranked: Place[] = $derived.by(() => {
    const rank = new Map(this.ranking.map((id, index) => [id, index]))
    return this.places.toSorted((a, b) => (rank.get(a.id) ?? 1e9) - (rank.get(b.id) ?? 1e9))
  })
  readonly ranks: Ranks = $derived.by(() => {
    const kind = ({ id, retired }: Place) => (retired ? 'retired' : this.count(id) ? 'worst' : 'quiet')
    return { worst: [], quiet: [], retired: [], ...Object.groupBy(this.ranked, kind) }
  })

  constructor() {
    let first: string | undefined
    onBoardVersion(version => {
      first ??= version
      this.changed = version !== first
    })
  }

  /** how many there are in the span, on the whole board */
  readonly sum = $derived(this.places.reduce((sum, { id }) => sum + this.count(id), 0))
  /** nothing was ever reported */
  readonly isEmpty = $derived(!this.days && this.counts !== undefined && !this.sum)

  /** as one says it after a number */
  get inSpan(): string {
    return this.days ? `in ${this.days} days` : 'in all'
  }

  async load(): Promise<void> {
    this.failed = false
    try {
      const [text] = await Promise.all([this.picture ? undefined : boardPicture(), this.refresh()])
      if (text) this.picture = readPicture(text)
      remember('ratio', String(this.ratio))
      this.rank()
    } catch {
      this.failed = true
    }
  }

  /** Whether the counts were others than before. */
  async refresh(): Promise<boolean> {
    const { days, counts: before } = this
    const fresh = await counts(days || undefined)
    if (days === this.days) {
      this.counts = fresh
      this.countedAt = new Date()
    }
    return fresh !== before
  }

  async choose(days: number): Promise<void> {
    this.days = days
    remember('span', String(days))
    try {
      await this.refresh()
      this.rank()
    } catch {
      this.counts = undefined
    }
  }

  /** One more, known before the server is asked again. */
  add(section: string): void {
    if (this.counts) this.counts = { ...this.counts, [section]: this.count(section) + 1 }
    this.rank()
  }

  rank(): void {
    this.ranking = this.places
      .toSorted((a, b) => this.count(b.id) - this.count(a.id) || (a.label < b.label ? -1 : 1))
      .map(({ id }) => id)
  }

  label(id: string): string {
    return this.labels.get(id) ?? this.picture?.retired.get(id)?.label ?? id
  }

  isRetired(id: string): boolean {
    return this.picture !== undefined && !this.labels.has(id)
  }

  place(id: string): Place {
    const count = (this.played ?? this.counts)?.[id] ?? 0
    return { id, label: this.label(id), count, step: stepOf(count, this.scale), retired: this.isRetired(id) }
  }

  private ids(): string[] {
    return this.picture ? [...new Set([...this.labels.keys(), ...Object.keys(this.counts ?? {})])] : []
  }

  private count(id: string): number {
    return this.counts?.[id] ?? 0
  }
}
