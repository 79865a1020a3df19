import { recall, remember } from '../lib/memory.ts'

/**
 * `typing`: still being written. `waiting`: Send was pressed, no receipt yet. `interrupted`: the session
 * ended meanwhile, so it is shown again as soon as the same person is back.
 */
export type DraftState = 'typing' | 'waiting' | 'interrupted'

export interface Draft {
  section: string
  text: string
  project: string
  /** the Idempotency-Key: the same until the receipt */
  key: string
  state: DraftState
  faults?: Record<string, string>
}

/** What one person typed, kept in their browser until the receipt. Nobody else's is ever looked at. */
export class Drafts {
  all = $state.raw<Record<string, Draft>>({})
  readonly waiting: Draft[] = $derived(Object.values(this.all).filter(({ state }) => state === 'waiting'))
  private readonly name: string
  /** the browser would not store them: leaving the page would lose them */
  private unstored = false

  constructor(email: string) {
    this.name = `drafts.${email}`
    this.read()
    window.addEventListener('beforeunload', event => this.unstored && event.preventDefault())
    window.addEventListener('storage', event => event.key === `faultline.${this.name}` && this.read())
  }

  of(section: string): Draft | undefined {
    return this.all[section]
  }

  keep(draft: Draft): void {
    this.write({ ...this.stored(), [draft.section]: draft })
  }

  /** Only the draft that was sent: another may have taken its place in another tab. */
  drop({ section, key }: Pick<Draft, 'section' | 'key'>): void {
    const { [section]: found, ...others } = this.stored()
    if (found?.key === key) this.write(others)
  }

  private read(): void {
    this.all = this.stored()
  }

  private stored(): Record<string, Draft> {
    try {
      return { ...(JSON.parse(recall(this.name) ?? 'null') ?? (this.unstored ? this.all : {})) }
    } catch {
      return {}
    }
  }

  private write(all: Record<string, Draft>): void {
    this.all = all
    this.unstored = !remember(this.name, JSON.stringify(all))
  }
}
