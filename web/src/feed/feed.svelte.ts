import { type Entry, type FeedPage, feed } from '../lib/api.ts'
import { Fault } from '../lib/fault.ts'
import type { Narrowed } from '../lib/narrowing.ts'

export type FeedStatus = 'loading' | 'ready' | 'failed' | 'unknown'

/** Newest first; what arrives later waits to be asked for, so that nothing moves under the reader's eyes. */
export class Feed {
  entries = $state.raw<Entry[]>([])
  fresh = $state.raw<Entry[]>([])
  status = $state<FeedStatus>('loading')
  loadingMore = $state(false)
  moreFailed = $state(false)
  /** what it is narrowed by and the server does not know */
  unknown = $state.raw<string[]>([])
  private next = $state<string>()
  /** more came than one page holds: what is shown must begin anew */
  private gap: FeedPage | undefined
  /** the first page as it was when it was last asked for */
  private seen: FeedPage | undefined

  readonly hasMore = $derived(this.next !== undefined)

  constructor(readonly narrowed: Narrowed = {}) {}

  async load(): Promise<void> {
    if (this.status !== 'ready') this.status = 'loading'
    await this.fetchFirst()
  }

  private async fetchFirst(): Promise<void> {
    try {
      this.begin(await feed(this.narrowed))
    } catch (error) {
      const refused = error instanceof Fault && error.kind === 'refused'
      this.unknown = refused ? Object.keys(error.fields) : []
      this.status = refused ? 'unknown' : 'failed'
    }
  }

  async more(): Promise<void> {
    if (this.loadingMore || !this.next) return
    this.loadingMore = true
    this.moreFailed = false
    try {
      const { entries, next } = await feed(this.narrowed, this.next)
      this.entries = merged(this.entries, entries)
      this.next = next
    } catch {
      this.moreFailed = true
    }
    this.loadingMore = false
  }

  /** Looks for what was filed meanwhile; whether there was anything. */
  async refresh(): Promise<boolean> {
    if (this.status === 'unknown') return false
    if (this.status !== 'ready') {
      await this.fetchFirst()
      return true
    }
    const page = await feed(this.narrowed)
    const changed = page !== this.seen
    this.seen = page
    const known = new Set(this.entries.map(({ id }) => id))
    this.fresh = page.entries.filter(({ id }) => !known.has(id))
    this.gap = page.next !== undefined && this.fresh.length === page.entries.length ? page : undefined
    return changed
  }

  show(): void {
    if (this.gap) {
      this.begin(this.gap)
    } else {
      this.entries = merged(this.fresh, this.entries)
      this.fresh = []
    }
  }

  /** One's own report is shown at once, where it belongs; whether it has the words looked for, the server knows. */
  add(entry: Entry): void {
    const { section = entry.section_id, project = entry.project_id, q } = this.narrowed
    if (section !== entry.section_id || project !== entry.project_id || q !== undefined) return
    this.fresh = this.fresh.filter(({ id }) => id !== entry.id)
    this.entries = merged([entry], this.entries)
  }

  private begin(page: FeedPage): void {
    const { entries, next } = page
    this.seen = page
    this.entries = entries
    this.next = next
    this.fresh = []
    this.gap = undefined
    this.status = 'ready'
  }
}

function merged(some: Entry[], others: Entry[]): Entry[] {
  const byId = new Map([...some, ...others].map(entry => [entry.id, entry]))
  return [...byId.values()].sort(newestFirst)
}

function newestFirst(a: Entry, b: Entry): number {
  if (a.created_at !== b.created_at) return a.created_at < b.created_at ? 1 : -1
  return a.id < b.id ? 1 : -1
}
