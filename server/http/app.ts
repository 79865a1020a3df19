import { openapi } from '@elysiajs/openapi'
import { Elysia, ParseError, type TSchema, ValidationError } from 'elysia'
import { letIn, passOf } from '../auth/guards.ts'
import { authRoutes } from '../auth/routes.ts'
import { createSessions } from '../auth/session.ts'
import { defectRoutes } from '../defects/routes.ts'
import type { Deps } from '../deps.ts'
import { catalogue, type FieldFault, problem, publicError, Refusal } from '../errors.ts'
import { projectRoutes } from '../projects/routes.ts'
import { pushRoutes } from '../push/routes.ts'
import { explain, JSON_TYPE } from '../wire.ts'
import { errorPage, pictureFile, send, type Web } from './files.ts'
import { createGate, isApi, parseTarget } from './gate.ts'
import { healthRoutes } from './health.ts'
import { checkQuery, readJson } from './request.ts'
import { createSurface } from './routes.ts'

export type App = ReturnType<typeof createApi>

/** The whole API, one feature a line. */
const createApi = (deps: Deps) =>
  new Elysia({ strictPath: true, normalize: false })
    .onError(({ error, request }) => failure(deps, request, error))
    .use(description)
    .use(healthRoutes(deps))
    .use(authRoutes(deps))
    // From here on bodies are read: sign-out, above, ignores its own.
    .onParse(readJson)
    .use(projectRoutes(deps))
    .use(defectRoutes(deps))
    .use(pushRoutes(deps))

const description = openapi({
  provider: null,
  specPath: '/api/openapi.json',
  exclude: { paths: [/^\/(login|auth)/] },
  documentation: {
    info: { title: 'Faultline', version: '1', description: 'Defects on the sections of a board.' },
  },
})

export interface Served {
  handle(request: Request): Promise<Response>
  /** every path and method that answers, for tests that visit them all */
  routes(): { method: string; path: string }[]
}

/** Gate, API and pages as one function from request to response. */
export function createApp(deps: Deps, web: Web): Served {
  const { config, board } = deps
  const api = createApi(deps)
  const surface = createSurface(api.routes, config, web)
  const gate = createGate(config, createSessions(config), surface)
  const picture = pictureFile(board.svg)
  const secure = config.publicUrl.startsWith('https:')

  async function answer(request: Request, requestId: string): Promise<Response> {
    const verdict = await gate(request, requestId)
    if (verdict instanceof Response) return verdict
    const { path, search, visitor } = verdict
    letIn(request, visitor ? { requestId, visitor } : { requestId })

    if (path === '/board.svg') return send(request, picture)
    const page = web.serve(request, path)
    if (page) return page
    if (isApi(path)) checkQuery(search, surface.queryKeys(request.method, path))
    return await api.fetch(shortHostMended(request, path + search))
  }

  return {
    routes: surface.routes,
    async handle(request) {
      const requestId = Bun.randomUUIDv7()
      let response: Response
      try {
        response = await answer(request, requestId)
      } catch (error) {
        letIn(request, { requestId })
        response = failure(deps, request, error)
      }
      return finished(response, requestId, secure)
    },
  }
}

/** Elysia cuts the path from the eleventh character of the URL on, and would lose some of it here. */
function shortHostMended(request: Request, target: string): Request {
  if (request.url.indexOf('/', 8) >= 11) return request
  const mended = new Request(`http://short.host${target}`, request)
  letIn(mended, passOf(request))
  return mended
}

function finished(response: Response, requestId: string, secure: boolean): Response {
  const { headers } = response
  headers.set('x-request-id', requestId)
  headers.set('x-content-type-options', 'nosniff')
  headers.set('referrer-policy', 'same-origin')
  if (secure) headers.set('strict-transport-security', 'max-age=31536000')
  if (headers.get('content-type') === 'application/json;charset=utf-8') headers.set('content-type', JSON_TYPE)
  if (!headers.has('cache-control')) headers.set('cache-control', 'private, no-cache')
  return response
}

function failure(
  { log, renderPage }: Pick<Deps, 'log' | 'renderPage'>,
  request: Request,
  thrown: unknown,
): Response {
  const { requestId } = passOf(request)
  const error = thrown instanceof ValidationError ? refusalOf(thrown) : unwrapped(thrown)
  const { code, faults } = publicError(error)
  if (code === 'internal') {
    const { message, stack } = error instanceof Error ? error : new Error(String(error))
    log.error('a request failed', { request_id: requestId, error: message, stack })
  }
  if (code === 'database_unavailable') {
    log.warn('the database is unavailable', { request_id: requestId, reason: (error as Error).message })
  }
  const answer = problem(code, requestId, faults)
  return isApi(parseTarget(request.url)?.path ?? '/')
    ? answer
    : errorPage(renderPage, answer.status, catalogue[code])
}

/** Elysia wraps what its body parser throws. */
const unwrapped = (thrown: unknown) => (thrown instanceof ParseError ? thrown.cause : thrown)

function refusalOf(error: ValidationError): Refusal {
  const faults = new Map<string, FieldFault>()
  for (const { path, schema, value } of error.all as { path: string; schema: TSchema; value: unknown }[]) {
    const field = path.replace(/^\//, '').replaceAll('/', '.') || 'body'
    if (!faults.has(field)) faults.set(field, { field, message: explain(schema, value) })
  }
  return new Refusal(error.type === 'query' ? 'invalid_query' : 'invalid_body', [...faults.values()])
}
