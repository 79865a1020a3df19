import { Elysia } from 'elysia'
import { type Answer, respond } from '../answer.ts'
import { Refusal } from '../errors.ts'
import type { Visitor } from './session.ts'

/** What the front knows of a request when a route sees it. */
export interface RequestContext {
  requestId: string
  inApi: boolean
  /** the query as sent, with its question mark, or empty */
  search: string
  visitor: Visitor | undefined
  /** of an operation of the API */
  body: unknown
  /** Takes what answers this path and query, where nothing else decides the answer. */
  remember?(read: () => Promise<Answer>): void
}

/** It travels on the request itself; nobody else can make this key. */
const CONTEXT = Symbol('context')
type WithContext = Request & { [CONTEXT]?: RequestContext }

export function setContext(request: Request, context: RequestContext): void {
  ;(request as WithContext)[CONTEXT] = context
}

export function contextOf(request: Request): RequestContext {
  const context = (request as WithContext)[CONTEXT]
  if (!context) throw new Refusal('unauthenticated')
  return context
}

/** For answers that are everybody's: from the second time on the front asks `read` itself. */
export async function shared(request: Request, read: () => Promise<Answer>): Promise<Response> {
  const answer = await read()
  contextOf(request).remember?.(read)
  return respond(request, answer)
}

/** For routes behind the gate: `visitor` is there, or the route does not run. */
export const signedIn = new Elysia({ name: 'signed-in' }).resolve({ as: 'scoped' }, ({ request }) => {
  const { visitor } = contextOf(request)
  if (!visitor) throw new Refusal('unauthenticated')
  return { visitor }
})
