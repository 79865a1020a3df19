import type { Entry } from '../lib/api.ts'
import { hold } from '../lib/hold.ts'
import { type Narrowed, wordsIn } from '../lib/narrowing.ts'
import { type Draft, type Faults, faultsOf, isEmpty, newDraft, roomLeft } from './draft.ts'
import type { Drafts } from './drafts.svelte.ts'
import type { Outbox } from './outbox.svelte.ts'
import type { Projects } from './projects.svelte.ts'
import { Similar } from './similar.svelte.ts'

export type Phase = 'closed' | 'opening' | 'writing' | 'sending'

interface Outside {
  drafts: Drafts
  projects: Projects
  outbox: Outbox
  /** the latest reports of what is asked for */
  latest(narrowed: Narrowed): Promise<Entry[]>
  /** a report stays behind that is sent as soon as the server answers */
  waits(draft: Draft): void
  closed(section: string): void
}

/** The report form: which draft is open, what is wrong with it, and what becomes of it. */
export class ReportForm {
  phase = $state<Phase>('closed')
  draft = $state.raw<Draft>()
  faults = $state.raw<Faults>({})
  /** typed on an earlier visit */
  restored = $state(false)
  /** another tab writes a draft on the same section, which stays as it is */
  elsewhere = $state(false)
  /** Send was pressed on this before: closing leaves it to be sent */
  private wasWaiting = false
  private release = () => {}
  /** the key of the draft that was open here last, by section */
  private readonly mine = new Map<string, string>()

  readonly section = $derived(this.draft?.body.section_id)
  readonly left = $derived(this.draft ? roomLeft(this.draft) : 0)
  readonly sending = $derived(this.phase === 'sending')
  /** other unsent reports on the same section, which stay as they are */
  readonly others = $derived(this.draft ? this.othersOf(this.draft) : 0)

  readonly similar: Similar

  constructor(private readonly outside: Outside) {
    this.similar = new Similar(outside.latest)
  }

  /** Opens the draft of a section that was open here last, else the newest that no other tab has open, else a new one. */
  async open(section: string): Promise<void> {
    if (this.phase === 'opening' || this.phase === 'sending') return
    this.close()
    this.phase = 'opening'
    const { drafts, projects, outbox } = this.outside
    const isMine = (draft: Draft) => draft.key === this.mine.get(section)
    const stored = drafts.of(section).sort((a, b) => Number(isMine(b)) - Number(isMine(a)))
    const found = await this.firstFree(stored)
    const draft = found ?? newDraft(section, projects.last)
    if (!found) this.release = (await hold(draft.key)) ?? this.release
    this.wasWaiting = found?.state === 'waiting'
    this.restored = found !== undefined
    this.elsewhere = !found && stored.length > 0
    this.faults = outbox.refusals.get(draft.key) ?? {}
    this.draft = { ...draft, state: 'typing' }
    this.mine.set(section, draft.key)
    this.phase = 'writing'
    this.keep()
    void projects.load()
    this.similar.begin(this.about(this.draft))
  }

  /** Everything typed is kept at once, and a field's fault goes with its mending. */
  change({ project, ...body }: Partial<Draft['body'] & Pick<Draft, 'project'>>): void {
    const { draft } = this
    if (!draft || this.phase !== 'writing') return
    this.draft = { ...draft, project: project ?? draft.project, body: { ...draft.body, ...body } }
    const { form, ...faults } = this.faults
    if (project !== undefined) delete faults.project
    for (const field of Object.keys(body) as (keyof typeof body)[]) delete faults[field]
    this.faults = faults
    this.keep()
    this.similar.look(this.about(this.draft))
  }

  discard(): void {
    this.change({ verbatim: '' })
    this.faults = {}
    this.restored = false
  }

  close(): void {
    const { draft } = this
    if (!draft || this.phase === 'sending') return
    if (this.wasWaiting && !isEmpty(draft)) this.wait(draft)
    this.shut()
  }

  async send(): Promise<void> {
    const { draft } = this
    if (!draft || this.phase !== 'writing') return
    this.faults = faultsOf(draft)
    if (Object.keys(this.faults).length) return
    this.phase = 'sending'
    const outcome = await this.outside.outbox.send(draft)
    this.phase = 'writing'
    if (outcome.kind === 'filed') return this.shut()
    if (outcome.kind === 'signed-out') return this.interrupt()
    if (outcome.kind === 'refused') {
      this.wasWaiting = false
      this.draft = outcome.draft
      this.faults = outcome.faults
      return
    }
    this.wait(draft)
    this.shut()
  }

  /** The session ended while this was open: the same person finds it open when they are back. */
  interrupt(): void {
    if (this.draft && !isEmpty(this.draft)) this.outside.drafts.keep({ ...this.draft, state: 'interrupted' })
  }

  private async firstFree(drafts: Draft[]): Promise<Draft | undefined> {
    for (const draft of drafts) {
      const release = await hold(draft.key)
      if (!release) continue
      this.release = release
      return draft
    }
    return undefined
  }

  private othersOf({ key, body }: Draft): number {
    return this.outside.drafts.of(body.section_id).filter(draft => draft.key !== key).length
  }

  /** An empty text is not a draft. */
  private keep(): void {
    if (!this.draft) return
    if (isEmpty(this.draft)) this.outside.drafts.drop(this.draft.key)
    else this.outside.drafts.keep(this.draft)
  }

  private wait(draft: Draft): void {
    this.outside.drafts.keep({ ...draft, state: 'waiting' })
    this.outside.waits(draft)
  }

  private shut(): void {
    const { section } = this
    this.release()
    this.release = () => {}
    this.similar.stop()
    this.draft = undefined
    this.phase = 'closed'
    this.wasWaiting = false
    if (section !== undefined) this.outside.closed(section)
  }

  private about({ project, body }: Draft): Narrowed {
    return {
      section: body.section_id,
      project: this.outside.projects.named(project)?.id,
      q: wordsIn(body.verbatim),
    }
  }
}
