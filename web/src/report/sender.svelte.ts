import { type Entry, Fault, report } from '../lib/api.ts'
import type { Session } from '../shell/session.svelte.ts'
import type { Draft, Drafts } from './drafts.svelte.ts'
import { type Projects, tidy } from './projects.svelte.ts'

interface Outside {
  session: Session
  drafts: Drafts
  projects: Projects
  filed(entry: Entry, created: boolean): void
  refused(draft: Draft): void
}

/** Sends drafts, each under its own key, so that one report is stored however often it is tried. */
export class Sender {
  private readonly busy = new Set<string>()

  constructor(private readonly outside: Outside) {
    addEventListener('online', () => void this.flush())
  }

  /** One try. The draft is kept whatever comes, and dropped with the receipt. */
  async send(draft: Draft): Promise<Entry> {
    const { session, drafts, projects, filed } = this.outside
    if (this.busy.has(draft.key)) throw new Fault('unavailable', 'This report is being sent already.')
    this.busy.add(draft.key)
    drafts.keep({ ...draft, state: 'waiting' })
    try {
      await session.require()
      const { entry, created } = await this.file(draft)
      drafts.drop(draft)
      projects.use(entry.project_name)
      filed(entry, created)
      return entry
    } catch (error) {
      const fault = error instanceof Fault ? error : new Fault('unavailable', String(error))
      this.keepAfter(draft, fault)
      throw fault
    } finally {
      this.busy.delete(draft.key)
    }
  }

  /** Everything that waits, one after the other, until the server cannot be reached. */
  async flush(): Promise<void> {
    for (const draft of this.outside.drafts.waiting) {
      if (this.busy.has(draft.key)) continue
      try {
        await this.send(draft)
      } catch (error) {
        if (error instanceof Fault && error.kind !== 'refused') return
        this.outside.refused(draft)
      }
    }
  }

  private async file(draft: Draft) {
    const file = async (project_id: string) =>
      report({ section_id: draft.section, project_id, verbatim: draft.text }, draft.key)
    try {
      return await file(await this.projectId(draft))
    } catch (error) {
      if (!(error instanceof Fault && error.code === 'unknown_project')) throw error
      return file(await this.projectId(draft, { anew: true }))
    }
  }

  private async projectId(draft: Draft, options?: { anew: boolean }): Promise<string> {
    try {
      return await this.outside.projects.idOf(tidy(draft.project), options)
    } catch (error) {
      if (!(error instanceof Fault && error.fields.name)) throw error
      throw new Fault('refused', error.message, error.code, { project: error.fields.name })
    }
  }

  private keepAfter(draft: Draft, fault: Fault): void {
    if (fault.kind !== 'refused') return
    const { drafts } = this.outside
    drafts.keep({ ...draft, ...mend(draft, fault), state: 'typing' })
  }
}

/** What has to be mended before the next try, in words for the person. */
function mend(draft: Draft, { code, message, fields }: Fault): Partial<Draft> {
  if (code === 'idempotency_key_reused') {
    return {
      key: crypto.randomUUID(),
      faults: {
        form: 'An earlier wording of this report had already arrived. Send again to file this one as well.',
      },
    }
  }
  const { verbatim, project_id, project = project_id, section_id } = fields
  const faults = {
    ...(verbatim ? { text: `The description ${verbatim}.` } : {}),
    ...(project ? { project: `The project’s name ${project}.` } : {}),
    ...(section_id ? { form: `The section ${section_id}.` } : {}),
  }
  return { key: draft.key, faults: Object.keys(faults).length ? faults : { form: message } }
}
