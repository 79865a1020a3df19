import { Elysia } from 'elysia'
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

/** For routes behind the gate: `visitor` is there, or the route does not run. */
export const signedIn = new Elysia({ name: 'signed-in' }).resolve({ as: 'scoped' }, ({ request }) => {
  const { visitor } = contextOf(request)
  if (!visitor) throw new Refusal('unauthenticated')
  return { visitor }
})
