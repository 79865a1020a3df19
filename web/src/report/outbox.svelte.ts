import type { Entry, report } from '../lib/api.ts'
import { Fault } from '../lib/fault.ts'
import { type Draft, type Faults, tidy } from './draft.ts'
import type { Drafts } from './drafts.svelte.ts'
import type { Projects } from './projects.svelte.ts'

export type Outcome =
  | { kind: 'filed'; entry: Entry }
  /** no answer: it is sent again by itself */
  | { kind: 'waiting' }
  | { kind: 'signed-out' }
  | { kind: 'refused'; draft: Draft; faults: Faults }

interface Outside {
  drafts: Drafts
  projects: Projects
  report: typeof report
  filed(entry: Entry, created: boolean): void
  refused(draft: Draft): void
}

/** Sends drafts, each under its own key, so that one report is stored however often it is tried. */
export class Outbox {
  /** what was wrong with drafts that were refused while they waited */
  readonly refusals = new Map<string, Faults>()
  private readonly underWay = new Set<string>()

  constructor(private readonly outside: Outside) {}

  /** One try. The draft is kept whatever comes, and dropped with the receipt. */
  async send(draft: Draft): Promise<Outcome> {
    const { drafts, projects, filed } = this.outside
    if (this.underWay.has(draft.key)) return { kind: 'waiting' }
    this.underWay.add(draft.key)
    drafts.keep({ ...draft, state: 'waiting' })
    try {
      const { entry, created } = await this.file(draft)
      drafts.drop(draft.key)
      projects.use(entry.project_name)
      filed(entry, created)
      return { kind: 'filed', entry }
    } catch (error) {
      if (!(error instanceof Fault) || error.passing) return { kind: 'waiting' }
      return error.kind === 'signed-out' ? { kind: 'signed-out' } : this.refuse(draft, error)
    } finally {
      this.underWay.delete(draft.key)
    }
  }

  /** Everything that waits, one after the other, until the server does not answer. */
  async flush(): Promise<void> {
    for (const draft of this.outside.drafts.waiting) {
      if (this.underWay.has(draft.key)) continue
      const outcome = await this.send(draft)
      if (outcome.kind === 'waiting' || outcome.kind === 'signed-out') return
      if (outcome.kind === 'refused') this.outside.refused(outcome.draft)
    }
  }

  private async file({ project, body, key }: Draft) {
    const { projects, report } = this.outside
    const name = tidy(project)
    const file = async (project_id: string) => report({ ...body, project_id }, key)
    try {
      return await file(await projects.idOf(name))
    } catch (error) {
      if (!(error instanceof Fault && error.code === 'unknown_project')) throw error
      return file(await projects.idOf(name, { anew: true }))
    }
  }

  private refuse(draft: Draft, fault: Fault): Outcome {
    const { drafts } = this.outside
    const used = fault.code === 'idempotency_key_reused'
    const kept: Draft = { ...draft, state: 'typing', key: used ? crypto.randomUUID() : draft.key }
    const faults = used ? { form: ARRIVED } : wordsOf(fault)
    drafts.drop(draft.key)
    drafts.keep(kept)
    this.refusals.set(kept.key, faults)
    return { kind: 'refused', draft: kept, faults }
  }
}

const ARRIVED = 'An earlier wording of this report had already arrived. Send again to file this one as well.'

/** What has to be mended before the next try, in words for the person. */
function wordsOf({ message, fields }: Fault): Faults {
  const { verbatim, section_id, name = fields.project_id } = fields
  const faults = {
    ...(verbatim ? { verbatim: `The description ${verbatim}.` } : {}),
    ...(name ? { project: `The project’s name ${name}.` } : {}),
    ...(section_id ? { section_id: 'This section is not on the board any more.' } : {}),
  }
  return Object.keys(faults).length ? faults : { form: message }
}
