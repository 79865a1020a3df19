import { safeReturnTo, withReturnTo } from '../auth/return-to.ts'
import type { Sessions, Visitor } from '../auth/session.ts'
import type { Config } from '../config/read.ts'
import { type ErrorCode, problem } from '../errors.ts'
import { isLoopback } from '../loopback.ts'

/** Default-deny: what stands here is public, everything else needs a session. */
export const publicApi = new Set(['/api/health', '/api/session'])
const ownerOnly = new Set(['/api/subscriptions'])

const REQUEST_URL = /^https?:\/\/(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?(\/[^?#]*)(\?[^#]*)?$/
/** Escapes of what needs none, of separators and of controls: only who hides a path writes them. */
const DECEPTIVE =
  /\/\/|\\|%(?![0-9A-Fa-f]{2})|%(?:[01][0-9A-Fa-f]|2[DdEeFf]|3[0-9]|4[1-9A-Fa-f]|5[0-9AaCcFf]|6[1-9A-Fa-f]|7[0-9AaEeFf])/
const SAYS_JSON = /^application\/json[ \t]*(?:;|$)/i
export const BODY_LIMIT = 64 * 1024

interface Target {
  path: string
  search: string
}

interface Admitted extends Target {
  visitor?: Visitor
}

/** What the running application answers to, made from its own routes. */
export interface Surface {
  /** methods of an exact path, or of a page under a parameter; undefined when there is none */
  methods(path: string): ReadonlySet<string> | undefined
  isPublicFile(path: string): boolean
  /** `/login`, sign-in and sign-out: the paths of the one configured provider */
  isSignIn(path: string): boolean
  notFound(): Response
}

/** The first thing every request meets. Answers itself, or lets the request in with its visitor. */
export function createGate(config: Config, sessions: Sessions, surface: Surface) {
  const ownHost = new URL(config.publicUrl).hostname

  function isPublic(path: string, method: string) {
    if (isApi(path)) return publicApi.has(path) && isRead(method)
    return path.startsWith('/auth/') || surface.isSignIn(path) || surface.isPublicFile(path)
  }

  return async function gate(request: Request, requestId: string): Promise<Response | Admitted> {
    const refuse = (code: ErrorCode, headers?: Record<string, string>) =>
      problem(code, requestId, [], headers)

    const target = parseTarget(request.url)
    if (!target) return refuse('malformed_request')
    const { path, search } = target
    const { method } = request
    const inApi = isApi(path)

    const elsewhere = isLoopback(ownHost) && !inApi && isRead(method) && otherLoopback(request.url, ownHost)
    if (elsewhere && !surface.isPublicFile(path)) return redirect(config.publicUrl + path + search)

    const opened = sessions.open(request.headers.get('cookie'))
    const visitor = opened instanceof Promise ? await opened : opened
    if (!visitor && !isPublic(path, method)) {
      return inApi || !isRead(method)
        ? refuse('unauthenticated')
        : redirect(withReturnTo('/login', safeReturnTo(path + search)))
    }
    if (!isSafe(method) && !sameOrigin(request, config.publicUrl)) return refuse('cross_origin')

    const methods = surface.methods(path)
    if (!methods) return inApi ? refuse('not_found') : surface.notFound()
    if (!methods.has(method)) return refuse('method_not_allowed', { allow: [...methods].join(', ') })
    if (ownerOnly.has(path) && !visitor?.isOwner) return refuse('owner_only')

    if (inApi && !isSafe(method)) {
      if (!SAYS_JSON.test(request.headers.get('content-type') ?? '')) return refuse('unsupported_media_type')
      if (Number(request.headers.get('content-length')) > BODY_LIMIT) return refuse('body_too_large')
    }
    return visitor ? { path, search, visitor } : { path, search }
  }
}

export function parseTarget(url: string): Target | undefined {
  const [, path, search = ''] = REQUEST_URL.exec(url) ?? []
  if (path === undefined || DECEPTIVE.test(path)) return undefined
  return { path, search }
}

export const isApi = (path: string) => path === '/api' || path.startsWith('/api/')
const isRead = (method: string) => method === 'GET' || method === 'HEAD'
const isSafe = (method: string) => isRead(method) || method === 'OPTIONS'

function sameOrigin(request: Request, publicUrl: string): boolean {
  const site = request.headers.get('sec-fetch-site')
  if (site !== null && site !== 'same-origin' && site !== 'none') return false
  const origin = request.headers.get('origin')
  return origin === null || origin === publicUrl
}

function otherLoopback(url: string, ownHost: string): boolean {
  const { hostname } = new URL(url)
  return hostname !== ownHost && isLoopback(hostname)
}

function redirect(location: string): Response {
  return new Response(null, { status: 302, headers: { location, 'cache-control': 'no-store' } })
}
