import { tick } from 'svelte'
import { type Entry, Fault, feed } from '../lib/api.ts'
import type { Draft, Drafts } from './drafts.svelte.ts'
import { type Projects, tidy } from './projects.svelte.ts'
import type { Sender } from './sender.svelte.ts'

export const TEXT_LIMIT = 5_000
const NAME_LIMIT = 120

interface Outside {
  drafts: Drafts
  projects: Projects
  sender: Sender
  /** the last report of a section, when the page already shows it */
  lastShown(section: string): Entry | undefined
  waits(draft: Draft): void
}

/** The open report: what is typed, what is wrong with it, and what becomes of it. */
export class Report {
  section = $state<string>()
  text = $state('')
  project = $state('')
  faults = $state.raw<Record<string, string>>({})
  sending = $state(false)
  restored = $state(false)
  /** `null`: nothing was ever reported there */
  last = $state.raw<Entry | null>()
  private key = ''
  /** Send was pressed on this before: closing leaves it to be sent */
  private wasWaiting = false
  private opener: Element | null = null

  readonly length = $derived([...this.text.trim()].length)
  readonly left = $derived(TEXT_LIMIT - this.length)

  constructor(private readonly outside: Outside) {}

  open(section: string, opener: Element | null = document.activeElement): void {
    const { drafts, projects } = this.outside
    const kept = drafts.of(section)
    this.opener = opener
    this.text = kept?.text ?? ''
    this.project = kept?.project ?? projects.last
    this.key = kept?.key ?? crypto.randomUUID()
    this.faults = kept?.faults ?? {}
    this.restored = Boolean(kept?.text)
    this.section = section
    this.wasWaiting = kept?.state === 'waiting'
    if (kept) drafts.keep({ ...kept, state: 'typing' })
    void projects.load()
    void this.recallLast(section)
  }

  /** Everything typed is kept at once; an empty text is not a draft. */
  keep(): void {
    if (this.section === undefined || this.sending) return
    const draft = this.draft(this.section)
    if (draft.text.trim()) this.outside.drafts.keep(draft)
    else this.outside.drafts.drop(draft)
  }

  discard(): void {
    this.text = ''
    this.faults = {}
    this.restored = false
    this.keep()
  }

  close(): void {
    const { section } = this
    if (section === undefined) return
    const kept = this.outside.drafts.of(section)
    if (this.wasWaiting && kept) this.outside.waits({ ...kept, state: 'waiting' })
    this.section = undefined
    void this.giveFocusBack(section)
  }

  /** Away to another page: nothing to give the focus back to. */
  leave(): void {
    this.opener = document.body
    this.close()
  }

  async send(): Promise<void> {
    const { section } = this
    if (this.sending || section === undefined) return
    this.faults = this.check()
    if (Object.keys(this.faults).length) return
    this.sending = true
    const draft = this.draft(section)
    try {
      await this.outside.sender.send(draft)
      this.wasWaiting = false
      this.close()
    } catch (error) {
      this.failed(draft, error as Fault)
    } finally {
      this.sending = false
    }
  }

  /** The session ended while this was open: the same person finds it open when they are back. */
  interrupt(): void {
    if (this.section !== undefined && this.text.trim()) {
      this.outside.drafts.keep({ ...this.draft(this.section), state: 'interrupted' })
    }
  }

  private failed(draft: Draft, fault: Fault): void {
    if (fault.passing) {
      this.wasWaiting = true
      this.close()
    } else if (fault.kind === 'signed-out') {
      this.interrupt()
    } else {
      this.wasWaiting = false
      const kept = this.outside.drafts.of(draft.section)
      this.faults = kept?.faults ?? { form: fault.message }
      this.key = kept?.key ?? this.key
    }
  }

  private draft(section: string): Draft {
    return { section, text: this.text, project: tidy(this.project), key: this.key, state: 'typing' }
  }

  private check(): Record<string, string> {
    const faults: Record<string, string> = {}
    const project = tidy(this.project)
    if (!project) faults.project = 'Choose a project, or type a name to create one.'
    else if ([...project].length > NAME_LIMIT)
      faults.project = `A project’s name has at most ${NAME_LIMIT} characters.`
    if (this.length === 0) faults.text = 'Say what is wrong, in a sentence.'
    else if (this.left < 0)
      faults.text = `This is ${this.left === -1 ? 'one character' : `${-this.left} characters`} too long.`
    return faults
  }

  private async recallLast(section: string): Promise<void> {
    this.last = this.outside.lastShown(section)
    try {
      const { entries } = await feed(section, undefined, 1)
      if (this.section === section) this.last = entries[0] ?? null
    } catch (error) {
      if (!(error instanceof Fault)) throw error
    }
  }

  private async giveFocusBack(section: string): Promise<void> {
    await tick()
    const opener = this.opener?.isConnected
      ? this.opener
      : document.querySelector(`[data-section="${section}"]`)
    if (opener instanceof HTMLElement || opener instanceof SVGElement) opener.focus()
  }
}
