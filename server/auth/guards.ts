import { Elysia } from 'elysia'
import { Refusal } from '../errors.ts'
import type { Visitor } from './session.ts'

/** What the gate knows of a request that it let in; nobody else may say so. */
export interface Pass {
  requestId: string
  visitor?: Visitor
}

const passes = new WeakMap<Request, Pass>()

export function letIn(request: Request, pass: Pass): void {
  passes.set(request, pass)
}

export function passOf(request: Request): Pass {
  const pass = passes.get(request)
  if (!pass) throw new Refusal('unauthenticated')
  return pass
}

export const visitorOf = (request: Request): Visitor | undefined => passOf(request).visitor

/** For routes behind the gate: `visitor` is there, or the route does not run. */
export const signedIn = new Elysia({ name: 'signed-in' }).resolve({ as: 'scoped' }, ({ request }) => {
  const { visitor } = passOf(request)
  if (!visitor) throw new Refusal('unauthenticated')
  return { visitor }
})
