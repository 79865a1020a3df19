import { boardPicture, type Counts, counts, type Entry, onBoardVersion } from '../lib/api.ts'
import { Fault } from '../lib/fault.ts'
import { recall, remember } from '../lib/memory.ts'
import { inAddress, type Narrowed } from '../lib/narrowing.ts'
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
  /** what the counts are narrowed by */
  narrowed = $state.raw<Narrowed>({})
  /** the server does not know the project */
  refused = $state(false)
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
  readonly isEmpty = $derived(!inAddress(this.narrowed) && this.counts !== undefined && !this.sum)

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
    const { narrowed, counts: before } = this
    try {
      const fresh = await counts(narrowed)
      if (narrowed !== this.narrowed) return true
      this.refused = false
      this.counts = fresh
      this.countedAt = new Date()
      return fresh !== before
    } catch (error) {
      if (!(error instanceof Fault) || error.kind !== 'refused') throw error
      if (narrowed === this.narrowed) this.refuse()
      return false
    }
  }

  private refuse(): void {
    this.refused = true
    this.counts = undefined
  }

  async narrow(narrowed: Narrowed): Promise<void> {
    if (inAddress(narrowed) === inAddress(this.narrowed)) return
    this.narrowed = narrowed
    try {
      await this.refresh()
      this.rank()
    } catch {
      this.counts = undefined
    }
  }

  /** One more, known before the server is asked again. */
  add({ section_id: section, project_id }: Entry): void {
    if ((this.narrowed.project ?? project_id) !== project_id) return
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
