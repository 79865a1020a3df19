import type { FeedEntry } from '../../server/defects/entry.ts'
import type { Project } from '../../server/projects/model.ts'
import { ALICE, type TestApp } from './app.ts'
import { until } from './until.ts'

export type Send = (path: string, init?: RequestInit) => Promise<Response>

export function post(send: Send, path: string, body: unknown, headers: Record<string, string> = {}) {
  return send(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' || body instanceof Uint8Array ? (body as string) : JSON.stringify(body),
  })
}

export async function project(app: TestApp, name = 'Hinge rework'): Promise<Project> {
  let response = new Response()
  // The first statement of a database may take longer than its deadline on a busy machine.
  await until(async () => {
    response = await post(app.as(ALICE), '/api/projects', { name })
    return response.status !== 503
  })
  if (!response.ok) throw new Error(`no project: ${response.status} ${await response.text()}`)
  return (await response.json()) as Project
}

export async function report(
  send: Send,
  projectId: string,
  verbatim = 'The shield is loose',
  sectionId = 'usb-port',
): Promise<FeedEntry> {
  const response = await post(send, '/api/defects', {
    section_id: sectionId,
    project_id: projectId,
    verbatim,
  })
  if (response.status !== 201) throw new Error(`not stored: ${response.status} ${await response.text()}`)
  return (await response.json()) as FeedEntry
}

export interface Problem {
  type: string
  title: string
  status: number
  code: string
  detail: string
  errors?: { field: string; message: string }[]
  request_id: string
}

export async function problemOf(response: Response): Promise<Problem> {
  return (await response.json()) as Problem
}

/** Every page of the feed to its end. */
export async function wholeFeed(send: Send, path: string): Promise<FeedEntry[]> {
  const entries: FeedEntry[] = []
  let next: string | undefined = path
  while (next) {
    const response: Response = await send(next)
    if (!response.ok) throw new Error(`no feed: ${response.status} ${await response.text()}`)
    entries.push(...((await response.json()) as FeedEntry[]))
    next = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1]
  }
  return entries
}
