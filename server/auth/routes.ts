import { Elysia } from 'elysia'
import type { Deps } from '../deps.ts'
import { type Attempt, createAttempts } from './attempt.ts'
import { AttemptEnded, IdentityUnproven, ProviderFault } from './fault.ts'
import { contextOf } from './guards.ts'
import { admit, type Claims, type RefusalReason } from './identity.ts'
import { SessionAnswer } from './model.ts'
import { plainly, signInPages } from './pages.ts'
import { redirect, safeReturnTo } from './return-to.ts'
import type { Visitor } from './session.ts'

type AuthDeps = Pick<Deps, 'config' | 'oidc' | 'sessions' | 'renderPage' | 'log'>

export const authRoutes = (deps: AuthDeps) => {
  const { config, sessions, renderPage } = deps
  const { provider } = config.oauth
  const pages = signInPages(config, renderPage)
  const signIn = createSignIn(deps, pages)

  return new Elysia({ name: 'auth' })
    .get('/api/session', ({ request }) => sessionAnswer(deps, contextOf(request).visitor), {
      response: { 200: SessionAnswer },
    })
    .get('/login', ({ request }) =>
      contextOf(request).visitor
        ? redirect('/')
        : pages.login(safeReturnTo(query(request)?.get('return_to'))),
    )
    .get(`/auth/${provider}`, ({ request }) => signIn.start(request))
    .get(`/auth/${provider}/callback`, ({ request }) => signIn.finish(request))
    .post(
      '/auth/logout',
      async ({ request }) => {
        await recordLeaving(deps, request)
        return signedOut(sessions.end)
      },
      { parse: 'none' },
    )
}

function createSignIn({ config, oidc, sessions, log }: AuthDeps, pages: ReturnType<typeof signInPages>) {
  const attempts = createAttempts(config)

  async function start(request: Request): Promise<Response> {
    const wish = query(request)
    const returnTo = safeReturnTo(wish?.get('return_to'))
    try {
      const chooseAccount = wish?.get('prompt') === 'select_account'
      const { location, attempt } = await oidc.start({ returnTo, chooseAccount })
      return redirect(location, await attempts.begin(attempt, request.headers.get('cookie')))
    } catch (error) {
      return failed(request, error, returnTo)
    }
  }

  async function finish(request: Request): Promise<Response> {
    const answer = request.method === 'GET' ? query(request) : undefined
    const cookies = request.headers.get('cookie')
    const attempt = await attempts.take(answer?.get('state'), cookies)
    if (!answer || !attempt) return pages.expired()
    const response = await outcome(request, answer, attempt)
    for (const cookie of attempts.end(attempt, cookies)) response.headers.append('set-cookie', cookie)
    return response
  }

  async function outcome(request: Request, answer: Map<string, string>, attempt: Attempt): Promise<Response> {
    const { returnTo } = attempt
    const error = answer.get('error')
    if (error !== undefined) return declined(request, error, returnTo)
    const code = answer.get('code')
    if (!code || !CODE.test(code)) return pages.expired()
    try {
      return await entered(request, await oidc.finish(attempt, { code, iss: answer.get('iss') }), returnTo)
    } catch (fault) {
      return failed(request, fault, returnTo)
    }
  }

  async function entered(request: Request, claims: Claims, returnTo: string): Promise<Response> {
    const admission = admit(claims, config)
    if ('refused' in admission) {
      const { refused } = admission
      const fix = fixes[refused]
      const claimed = typeof claims.email === 'string' ? plainly(claims.email) : undefined
      refusedFor(request, refused, claimed)
      if (fix) log.warn('the provider says too little to sign in', { ...idOf(request), reason: refused, fix })
      return pages.refused(refused, claims.email, returnTo)
    }
    const cookie = await sessions.begin(admission.email)
    log.audit('signed_in', { actor: admission.email, ...idOf(request) })
    return redirect(returnTo, [cookie])
  }

  const refusedFor = (request: Request, reason: Refused, actor?: string) =>
    log.audit('sign_in_refused', { ...(actor && { actor }), reason, ...idOf(request) })

  function declined(request: Request, error: string, returnTo: string): Response {
    if (CANCELLED.has(error)) {
      refusedFor(request, 'cancelled')
      return pages.cancelled(returnTo)
    }
    const said = /^[a-z_]{1,60}$/.test(error) ? error : 'an error of no known form'
    const reason = `the provider refused to sign in: ${said}`
    const status = PROVIDER_ERRORS.get(error)
    if (status) return failed(request, new ProviderFault(status, reason), returnTo)
    refusedFor(request, 'declined')
    log.warn('sign-in refused by the provider', { ...idOf(request), reason })
    return pages.declined(returnTo)
  }

  function failed(request: Request, fault: unknown, returnTo: string): Response {
    if (fault instanceof AttemptEnded) {
      log.info('sign-in not finished', { ...idOf(request), reason: fault.message })
      return pages.expired()
    }
    if (fault instanceof IdentityUnproven) {
      refusedFor(request, 'unproven')
      log.warn('sign-in not proven', { ...idOf(request), reason: fault.message })
      return pages.unproven(returnTo)
    }
    if (!(fault instanceof ProviderFault)) throw fault
    log.warn('sign-in failed at the provider', { ...idOf(request), reason: fault.message, fix: fault.fix })
    return pages.unavailable(fault.status, returnTo)
  }

  return { start, finish }
}

/** Why somebody who came back from the provider did not enter. */
export type Refused = RefusalReason | 'cancelled' | 'declined' | 'unproven'

const CODE = /^[\x20-\x7e]{1,2048}$/
const CANCELLED = new Set([
  'access_denied',
  'login_required',
  'consent_required',
  'interaction_required',
  'account_selection_required',
])

/** What RFC 6749 (4.1.2.1) lets a provider say of itself or of how we ask. All else is about the person. */
const PROVIDER_ERRORS = new Map<string, 502 | 503>([
  ['temporarily_unavailable', 503],
  ['server_error', 502],
  ['invalid_request', 502],
  ['invalid_scope', 502],
  ['unauthorized_client', 502],
  ['unsupported_response_type', 502],
])

const fixes: Partial<Record<RefusalReason, string>> = {
  no_email:
    'the provider leaves the claim `email` out of the id_token: allow the scope `email` for this client, or add the claim there',
  verification_missing:
    'the provider leaves the claim `email_verified` out of the id_token, as Microsoft Entra does: have it send that claim as a boolean, or sign in through a broker that vouches for addresses, such as Keycloak or Dex',
}

const idOf = (request: Request) => ({ request_id: contextOf(request).requestId })

/** The parameters of the query, or undefined when one is repeated: parsers differ on which one counts. */
function query(request: Request) {
  const pairs = [...new URLSearchParams(contextOf(request).search)]
  const parameters = new Map(pairs)
  return parameters.size === pairs.length ? parameters : undefined
}

/** Signing out asks nobody who they are: for the trail alone it is looked up, where it can be. */
async function recordLeaving({ sessions, log }: AuthDeps, request: Request): Promise<void> {
  const visitor = await Promise.try(() => sessions.open(request.headers.get('cookie'))).catch(() => undefined)
  if (visitor) log.audit('signed_out', { actor: visitor.email, ...idOf(request) })
}

/** What the browser stored goes too; `storage` would delete drafts. */
function signedOut(endCookie: string): Response {
  const headers = { location: '/login', 'set-cookie': endCookie, 'clear-site-data': '"cache"' }
  return new Response(null, { status: 303, headers })
}

function sessionAnswer({ config: { vapid } }: Pick<Deps, 'config'>, visitor?: Visitor): SessionAnswer {
  if (!visitor) return { user: null }
  const { email, isOwner, expiresAt } = visitor
  const push = vapid ? { public_key: vapid.publicKey } : null
  return {
    user: { email, is_owner: isOwner },
    expires_at: new Date(expiresAt).toISOString(),
    ...(isOwner ? { push } : {}),
  }
}
