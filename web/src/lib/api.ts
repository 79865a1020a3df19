import { treaty } from '@elysiajs/eden/treaty2'
import type { App } from '../../../server/http/app.ts'

export interface Person {
  email: string
  is_owner: boolean
  /** the owner's alone: the key to subscribe with, unless push is off at the server */
  pushKey?: string
}

export interface Project {
  id: string
  name: string
}

export interface Entry {
  id: string
  section_id: string
  project_id: string
  project_name: string
  verbatim: string
  reporter: string
  created_at: string
}

export type Counts = Record<string, number>

/** `offline`: no answer came. `unavailable`: the server cannot just now. `refused`: not as it stands. */
export type FaultKind = 'offline' | 'unavailable' | 'signed-out' | 'refused'

export class Fault extends Error {
  constructor(
    readonly kind: FaultKind,
    message: string,
    readonly code = '',
    readonly fields: Record<string, string> = {},
  ) {
    super(message)
  }

  /** Worth another try as it stands. */
  get passing(): boolean {
    return this.kind === 'offline' || this.kind === 'unavailable'
  }
}

const { api } = treaty<App>(location.origin, { parseDate: false })
const PAGE = 30
const DEADLINE_MS = 15_000

let signedOut = () => {}
/** Called whenever the server says that there is no session any more. */
export function onSignedOut(handler: () => void): void {
  signedOut = handler
}

export async function session(): Promise<Person | null> {
  const { user, push } = await taken(api.session.get({ fetch: deadline() }))
  return user && { ...user, ...(push ? { pushKey: push.public_key } : {}) }
}

export async function counts(days?: number): Promise<Counts> {
  const query = days ? { since: `${days}d` } : {}
  return taken(api.defects.counts.get({ query, fetch: deadline() }))
}

/** `next` is what follows: the query of the `Link` header. */
export async function feed(
  section?: string,
  next?: string,
  limit = PAGE,
): Promise<{ entries: Entry[]; next?: string }> {
  const query = next
    ? Object.fromEntries(new URLSearchParams(next))
    : { limit: String(limit), ...(section === undefined ? {} : { section }) }
  const { value: entries, response } = await answered(api.defects.get({ query, fetch: deadline() }))
  const link = /<[^>?]*\?([^>]*)>; *rel="next"/.exec(response.headers.get('link') ?? '')
  return { entries, ...(link?.[1] ? { next: link[1] } : {}) }
}

export async function report(
  body: { section_id: string; project_id: string; verbatim: string },
  key: string,
): Promise<{ entry: Entry; created: boolean }> {
  const headers = { 'idempotency-key': key }
  const { value, response } = await answered(api.defects.post(body, { headers, fetch: deadline() }))
  return { entry: value, created: response.status === 201 }
}

export async function projects(): Promise<Project[]> {
  return taken(api.projects.get({ query: {}, fetch: deadline() }))
}

export async function findOrCreateProject(name: string): Promise<Project> {
  return taken(api.projects.post({ name }, { fetch: deadline() }))
}

export async function subscribe(subscription: PushSubscriptionJSON): Promise<void> {
  const { endpoint = '', keys = {} } = subscription
  const body = { endpoint, keys: { p256dh: keys.p256dh ?? '', auth: keys.auth ?? '' } }
  await taken(api.subscriptions.post(body, { fetch: deadline() }))
}

export async function unsubscribe(endpoint: string): Promise<void> {
  await taken(api.subscriptions.delete({ endpoint }, { fetch: deadline() }))
}

export async function boardPicture(): Promise<string> {
  const response = await fetch('/board.svg', deadline()).catch(noAnswer)
  if (!response.ok) throw faultOf(response.status, undefined)
  return response.text()
}

const deadline = () => ({ signal: AbortSignal.timeout(DEADLINE_MS) })

interface Answer<T> {
  data: T | null
  error: { status: unknown; value: unknown } | null
  response: Response | undefined
  status: number
}

async function taken<T>(pending: Promise<Answer<T>>): Promise<T> {
  return (await answered(pending)).value
}

async function answered<T>(pending: Promise<Answer<T>>): Promise<{ value: T; response: Response }> {
  const { data, error, response, status } = await pending.catch(noAnswer)
  if (!response) return noAnswer()
  if (error) throw faultOf(status, error.value)
  return { value: data as T, response }
}

function noAnswer(): never {
  throw new Fault('offline', 'The server cannot be reached.')
}

interface Problem {
  code?: string
  detail?: string
  errors?: { field: string; message: string }[]
}

function faultOf(status: number, value: unknown): Fault {
  const { code, detail, errors = [] } = (typeof value === 'object' && value ? value : {}) as Problem
  const fields = Object.fromEntries(errors.map(({ field, message }) => [field, message]))
  if (status === 401) {
    signedOut()
    return new Fault('signed-out', 'Your session has ended.')
  }
  if (status >= 500 || status === 408 || status === 429) {
    return new Fault('unavailable', detail ?? 'The server cannot answer just now.', code)
  }
  return new Fault('refused', detail ?? 'The server refused this.', code, fields)
}
