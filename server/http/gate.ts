import { redirect, safeReturnTo, withReturnTo } from '../auth/return-to.ts'
import type { Sessions, Visitor } from '../auth/session.ts'
import type { Config } from '../config/read.ts'
import { isLoopback } from '../loopback.ts'
import type { Answering, Refuse } from './problem.ts'
import { isApi, isRead, type Target } from './request.ts'
import type { Address, AddressBook } from './routes.ts'

export interface Admitted {
  address: Address
  visitor: Visitor | undefined
}

interface GateParts {
  config: Pick<Config, 'publicUrl'>
  sessions: Sessions
  addresses: AddressBook
  refuse: Refuse
}

/** Default-deny, before anything else sees a request: answers itself, or admits it with its visitor. */
export function createGate({ config, sessions, addresses, refuse }: GateParts) {
  const ownHost = new URL(config.publicUrl).hostname
  const onLoopback = isLoopback(ownHost)

  /** Under `/api` a method is public, elsewhere a path. Who has no session learns nothing of other paths. */
  function isPublic({ path }: Target, method: string, address: Address | undefined): boolean {
    if (isApi(path)) return address?.audiences.get(method) === 'public'
    return path.startsWith('/auth/') || address?.isPublic === true
  }

  /** The page under the name that its cookies belong to. */
  const isOtherLoopback = ({ hostname }: Target) =>
    onLoopback && hostname !== '' && hostname !== ownHost && isLoopback(hostname)

  function judge(
    request: Request,
    target: Target,
    answering: Answering,
    address: Address | undefined,
    visitor: Visitor | undefined,
  ): Response | Admitted {
    const { method } = request
    const { path, search } = target
    if (!visitor && !isPublic(target, method, address)) {
      return answering.inApi || !isRead(method)
        ? refuse('unauthenticated', answering)
        : redirect(withReturnTo('/login', safeReturnTo(path + search)))
    }
    if (!isSafe(method) && !sameOrigin(request, config.publicUrl)) return refuse('cross_origin', answering)
    if (!address) return refuse('not_found', answering)
    const audience = address.audiences.get(method)
    if (!audience) return refuse('method_not_allowed', answering, { headers: { allow: address.allow } })
    if (audience === 'owner' && !visitor?.isOwner) return refuse('owner_only', answering)
    return { address, visitor }
  }

  return (
    request: Request,
    target: Target,
    answering: Answering,
  ): Response | Admitted | Promise<Response | Admitted> => {
    const address = addresses.find(target.path)
    if (isRead(request.method) && !answering.inApi && !address?.isFile && isOtherLoopback(target)) {
      return redirect(config.publicUrl + target.path + target.search)
    }
    const isAsked = address?.audiences.get(request.method) !== 'public' || ASKS_WHO.has(address.path)
    const visitor = isAsked ? sessions.open(request.headers.get('cookie')) : undefined
    return visitor instanceof Promise
      ? visitor.then(opened => judge(request, target, answering, address, forAsker(request, opened)))
      : judge(request, target, answering, address, forAsker(request, visitor))
  }
}

/** Public addresses whose answer depends on who asks. */
const ASKS_WHO = new Set(['/login', '/api/session'])

/** A page says for whom it asks: when somebody else signed in meanwhile, nothing happens in their name. */
function forAsker({ headers }: Request, visitor: Visitor | undefined): Visitor | undefined {
  const email = headers.get('x-signed-in-as')
  return email === null || email === visitor?.email ? visitor : undefined
}

const isSafe = (method: string) => isRead(method) || method === 'OPTIONS'

function sameOrigin({ headers }: Request, publicUrl: string): boolean {
  const site = headers.get('sec-fetch-site')
  if (site !== null && site !== 'same-origin' && site !== 'none') return false
  const origin = headers.get('origin')
  return origin === null || origin === publicUrl
}
