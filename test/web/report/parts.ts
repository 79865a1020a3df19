import '../page.ts'
import type { Entry, ReportBody } from '../../../web/src/lib/api.ts'
import { Fault } from '../../../web/src/lib/fault.ts'
import { type Draft, newDraft } from '../../../web/src/report/draft.ts'
import { Drafts } from '../../../web/src/report/drafts.svelte.ts'
import { ReportForm } from '../../../web/src/report/form.svelte.ts'
import { Outbox } from '../../../web/src/report/outbox.svelte.ts'
import { Projects } from '../../../web/src/report/projects.svelte.ts'

export const ALICE = 'alice@example.com'
export const offline = () => new Fault('offline', 'The server cannot be reached.')
export const signedOut = () => new Fault('signed-out', 'Your session has ended.')
export const refused = (code: string, fields: Record<string, string> = {}) =>
  new Fault('refused', 'Some fields need mending.', code, fields)

export const draftOf = (section: string, verbatim: string, change: Partial<Draft> = {}): Draft => {
  const draft = newDraft(section, 'Hinge rework')
  return { ...draft, ...change, body: { ...draft.body, verbatim } }
}

/** The parts of reporting around a server that answers what a test says. */
export function parts() {
  const sent: { body: ReportBody; key: string }[] = []
  const said: string[] = []
  const stored = new Map<string, Entry>()
  const server = {
    fails: undefined as (() => Error | undefined) | undefined,
    projects: [{ id: 'p1', name: 'Hinge rework' }],
  }

  async function report(body: ReportBody, key: string) {
    sent.push({ body, key })
    const error = server.fails?.()
    if (error) throw error
    const created = !stored.has(key)
    const entry = {
      ...body,
      id: key,
      project_name: server.projects.find(({ id }) => id === body.project_id)!.name,
      reporter: ALICE,
      created_at: '2026-12-01T00:00:00.000Z',
    }
    stored.set(key, entry)
    return { entry, created }
  }

  const drafts = new Drafts(ALICE)
  const projects = new Projects(ALICE, {
    projects: async () => server.projects,
    async findOrCreateProject(name) {
      const project = { id: `p${server.projects.length + 1}`, name }
      server.projects = [...server.projects, project]
      return project
    },
  })
  const outbox = new Outbox({
    drafts,
    projects,
    report,
    filed: ({ section_id }) => said.push(`filed ${section_id}`),
    refused: ({ body }) => said.push(`refused ${body.section_id}`),
  })
  const form = new ReportForm({
    drafts,
    projects,
    outbox,
    latest: async () => [],
    waits: ({ body }) => said.push(`waits ${body.section_id}`),
    closed: section => said.push(`closed ${section}`),
  })
  return { drafts, projects, outbox, form, server, sent, said, stored }
}
