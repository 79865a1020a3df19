import { onChangedElsewhere, recall, remember } from '../lib/memory.ts'
import type { Draft } from './draft.ts'

type Stored = Record<string, Draft>

/** What one person typed, kept in their browser until the receipt. Nobody else's is ever looked at. */
export class Drafts {
  /** by their keys, the oldest first */
  private all = $state.raw<Stored>({})
  readonly list: Draft[] = $derived(Object.values(this.all))
  readonly waiting: Draft[] = $derived(this.list.filter(({ state }) => state === 'waiting'))
  readonly sections: Set<string> = $derived(new Set(this.list.map(({ body }) => body.section_id)))
  private readonly name: string
  /** the browser would not store them: leaving the page would lose them */
  private unstored = false

  constructor(email: string) {
    this.name = `drafts.${email}`
    this.all = this.stored()
    addEventListener('beforeunload', event => this.unstored && event.preventDefault())
    onChangedElsewhere(this.name, () => {
      this.all = this.stored()
    })
  }

  /** The newest first. */
  of(section: string): Draft[] {
    return this.list.filter(({ body }) => body.section_id === section).reverse()
  }

  keep(draft: Draft): void {
    this.write({ ...this.stored(), [draft.key]: draft })
  }

  drop(key: string): void {
    const { [key]: dropped, ...others } = this.stored()
    if (dropped) this.write(others)
  }

  private stored(): Stored {
    try {
      return readStored(recall(this.name)) ?? (this.unstored ? this.all : {})
    } catch {
      return {}
    }
  }

  private write(all: Stored): void {
    this.all = all
    this.unstored = !remember(this.name, JSON.stringify(all))
  }
}

/** As version 0.1.0 stored a draft: one a section. */
interface OldDraft {
  section: string
  text: string
  project: string
  key: string
  state: Draft['state']
}

function readStored(text: string | null): Stored | undefined {
  const stored: Record<string, Draft | OldDraft> | null = JSON.parse(text ?? 'null')
  if (!stored) return undefined
  const drafts = Object.values(stored).map(draft => ('body' in draft ? draft : renewed(draft)))
  return Object.fromEntries(drafts.map(draft => [draft.key, draft]))
}

function renewed({ section, text, ...draft }: OldDraft): Draft {
  return { ...draft, body: { section_id: section, verbatim: text } }
}
