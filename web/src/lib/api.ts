import { type Treaty, treaty } from '@elysiajs/eden/treaty2'
import type { App } from '../../../server/http/app.ts'
import type { Days } from '../insight/series.ts'
import { Fault } from './fault.ts'
import { asQuery, type Narrowed } from './narrowing.ts'

/** For whom this page asks: the server answers nobody else's session. */
let person: string | undefined
export function askFor(email: string): void {
  if (person !== undefined && person !== email) answers.clear()
  person = email
}

let signedOut = () => {}
/** Called whenever the server says that there is no session of this person any more. */
export function onSignedOut(handler: () => void): void {
  signedOut = handler
}

let boardVersion = (_: string) => {}
/** Called with the board's version whenever an answer tells it. */
export function onBoardVersion(handler: (version: string) => void): void {
  boardVersion = handler
}

const { api } = treaty<App>(location.origin, {
  parseDate: false,
  // Whose session it is must be told to everybody.
  headers: path => (person && !path.endsWith('/session') ? { 'x-signed-in-as': person } : undefined),
})

export type Entry = Treaty.Data<typeof api.defects.get>[number]
export type ReportBody = Parameters<typeof api.defects.post>[0]
export type Counts = Treaty.Data<typeof api.defects.counts.get>
export type Project = Treaty.Data<typeof api.projects.get>[number]
type Session = Treaty.Data<typeof api.session.get>

export interface Person extends NonNullable<Session['user']> {
  /** the owner's alone: the key to subscribe with, unless push is off at the server */
  pushKey?: string
}

const PAGE = 30
const DEADLINE_MS = 15_000
/** Always asked anew: going back in the history would else show what a browser kept. */
const options = (): RequestInit => ({ signal: AbortSignal.timeout(DEADLINE_MS), cache: 'no-cache' })

export async function session(): Promise<Person | null> {
  const { user, push } = await taken(api.session.get({ fetch: options() }))
  return user && { ...user, ...(push ? { pushKey: push.public_key } : {}) }
}

/** The same object as long as nothing has changed. */
export const counts = (narrowed: Narrowed = {}): Promise<Counts> => countsBy(asQuery(narrowed))

/** Of each project that has any. */
export const countsByProject = (narrowed: Narrowed): Promise<Counts> =>
  countsBy({ by: 'project', ...asQuery(narrowed) })

function countsBy(query: Record<string, string>): Promise<Counts> {
  return unlessKnown(
    question('counts', query),
    asking => api.defects.counts.get({ query, ...asking }),
    ({ value }) => value,
  )
}

const question = (of: string, query: Record<string, string>) => `${of} ${new URLSearchParams(query)}`

/** Each day of the last ones, oldest first; the same object as long as nothing has changed. */
export async function trends(days: number, narrowed: Narrowed = {}): Promise<Days> {
  const { since: _, ...rest } = asQuery(narrowed)
  const query = { ...rest, days: `${days}d` }
  return unlessKnown(
    question('trends', query),
    asking => api.defects.trends.get({ query, ...asking }),
    ({ value }) => value,
  )
}

export interface FeedPage {
  entries: Entry[]
  /** the query of the page that follows */
  next?: string
}

/** The same object as long as nothing has changed. */
export async function feed(narrowed: Narrowed = {}, next?: string, limit = PAGE): Promise<FeedPage> {
  const query = next
    ? Object.fromEntries(new URLSearchParams(next))
    : { limit: String(limit), ...asQuery(narrowed) }
  return unlessKnown(
    question('feed', query),
    asking => api.defects.get({ query, ...asking }),
    ({ value: entries, response }) => {
      const link = /<[^>?]*\?([^>]*)>; *rel="next"/.exec(response.headers.get('link') ?? '')
      return { entries, ...(link?.[1] ? { next: link[1] } : {}) }
    },
  )
}

/** Where all that is narrowed to can be downloaded. */
export const downloadOf = (format: 'csv' | 'ndjson', narrowed: Narrowed) =>
  `/api/defects/export?${new URLSearchParams({ format, ...asQuery(narrowed) })}`

export async function defect(id: string): Promise<Entry> {
  return taken(api.defects({ id }).get({ fetch: options() }))
}

export async function report(body: ReportBody, key: string): Promise<{ entry: Entry; created: boolean }> {
  const headers = { 'idempotency-key': key }
  const { value, response } = await answered(api.defects.post(body, { headers, fetch: options() }))
  return { entry: value, created: response.status === 201 }
}

export async function projects(): Promise<Project[]> {
  return unlessKnown(
    'projects',
    asking => api.projects.get({ query: {}, ...asking }),
    ({ value }) => value,
  )
}

export async function findOrCreateProject(name: string): Promise<Project> {
  return taken(api.projects.post({ name }, { fetch: options() }))
}

export async function subscribe(subscription: PushSubscriptionJSON): Promise<void> {
  const { endpoint = '', keys = {} } = subscription
  const body = { endpoint, keys: { p256dh: keys.p256dh ?? '', auth: keys.auth ?? '' } }
  await taken(api.subscriptions.post(body, { fetch: options() }))
}

export async function unsubscribe(endpoint: string): Promise<void> {
  await taken(api.subscriptions.delete({ endpoint }, { fetch: options() }))
}

export async function boardPicture(): Promise<string> {
  const response = await fetch('/board.svg', options()).catch(noAnswer)
  if (!response.ok) throw faultOf(response.status, undefined)
  return response.text()
}

export async function signOut(): Promise<void> {
  const response = await fetch('/auth/logout', { ...options(), method: 'POST', redirect: 'manual' }).catch(
    noAnswer,
  )
  if (response.type !== 'opaqueredirect') throw faultOf(response.status, undefined)
}

interface Answer<T> {
  data: T | null
  error: { status: unknown; value: unknown } | null
  response: Response | undefined
  status: number
}

/** What was answered last to whom this page asks for, by question; the server says when it still holds. */
const answers = new Map<string, { etag: string; answer: unknown }>()
const ANSWERS_MOST = 50
const NOT_MODIFIED = 304

interface Asking {
  headers: Record<string, string>
  fetch: RequestInit
}

async function unlessKnown<T, A>(
  question: string,
  ask: (asking: Asking) => Promise<Answer<T>>,
  read: (answered: { value: T; response: Response }) => A,
): Promise<A> {
  const known = answers.get(question)
  const headers: Record<string, string> = known ? { 'if-none-match': known.etag } : {}
  const fresh = await answered(ask({ headers, fetch: options() }))
  if (known && fresh.response.status === NOT_MODIFIED) return known.answer as A
  const answer = read(fresh)
  const etag = fresh.response.headers.get('etag')
  if (answers.size >= ANSWERS_MOST) answers.clear()
  if (etag) answers.set(question, { etag, answer })
  return answer
}

async function taken<T>(pending: Promise<Answer<T>>): Promise<T> {
  return (await answered(pending)).value
}

async function answered<T>(pending: Promise<Answer<T>>): Promise<{ value: T; response: Response }> {
  const { data, error, response, status } = await pending.catch(noAnswer)
  if (!response) return noAnswer()
  const version = response.headers.get('x-board-version')
  if (version) boardVersion(version)
  if (error && status !== NOT_MODIFIED) throw faultOf(status, error.value)
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
