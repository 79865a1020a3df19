import { openapi } from '@elysiajs/openapi'
import { Elysia } from 'elysia'
import { type Answer, respond as respondWith } from '../answer.ts'
import { contextOf, type RequestContext, setContext } from '../auth/guards.ts'
import { authRoutes } from '../auth/routes.ts'
import { isKnownSection } from '../defects/narrowing.ts'
import { findDefect } from '../defects/one.ts'
import { defectRoutes } from '../defects/routes.ts'
import type { Deps } from '../deps.ts'
import { projectRoutes } from '../projects/routes.ts'
import { pushRoutes } from '../push/routes.ts'
import { messagePage } from './document.ts'
import { bodyRead, ownError, queryChecksOf, withLongHost } from './elysia.ts'
import { type Bundle, boardFiles, send } from './files.ts'
import { type Admitted, createGate } from './gate.ts'
import { createFinish } from './headers.ts'
import { alive, asksForLife, healthRoutes } from './health.ts'
import { memory } from './memo.ts'
import { createErrorMapper, createRefuse } from './problem.ts'
import { isApi, isRead, queryCheck, readJson, readTarget, seemsApi, type Target } from './request.ts'
import { type Address, createAddressBook, pageRoutes } from './routes.ts'

export type App = ReturnType<typeof createApi>

type Fail = ReturnType<typeof createErrorMapper>

/** The whole API, one feature a line. */
const createApi = (deps: Deps, fail: Fail, isDraining: () => boolean) =>
  new Elysia({ strictPath: true, normalize: false })
    .onError(({ error, request }) => fail(ownError(error), contextOf(request)))
    .use(description)
    .use(healthRoutes(deps, isDraining))
    .use(authRoutes(deps))
    // Sign-out, above, ignores its body.
    .onParse(bodyRead)
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

export interface HttpApp {
  handle(request: Request): Response | Promise<Response>
  /** From now on it says that it goes, and lets each client go with its answer. */
  drain(): void
  /** requests that still wait for something, those whose client has gone included */
  underWay(): number
  /** every path and method that answers, for tests that visit them all */
  routes(): { method: string; path: string }[]
  /** what the framework itself would answer, for the test that compares it with the table */
  frameworkRoutes(): { method: string; path: string }[]
}

/** Gate, API and pages as one function from request to response. */
export function createApp(deps: Deps, bundle: Bundle): HttpApp {
  const { config, db, board, log, sessions, renderPage } = deps
  const refuse = createRefuse(renderPage)
  const fail = createErrorMapper(refuse, log)
  let draining = false
  const isDraining = () => draining
  const finish = createFinish(config, isDraining)
  const api = createApi(deps, fail, isDraining)
  const queryCheckOf = queryChecksOf(api.routes, queryCheck)
  const addresses = createAddressBook(config, bundle.files.keys(), board.images.keys())
  const gate = createGate({ config, sessions, addresses, refuse })
  const files = new Map([
    ...bundle.files,
    ...boardFiles(board),
    ...pageRoutes.map(([, path]) => [path, bundle.shell] as const),
  ])

  /** by path and query, once the framework has judged them */
  const reads = memory<() => Promise<Answer>>(1_000)

  /** The rules of the contract's section 3 in their order. Promises only where something waits. */
  function answer(request: Request, context: RequestContext): Response | Promise<Response> {
    const target = readTarget(request)
    context.inApi = target ? isApi(target.path) : seemsApi(request.url)
    if (!target) return refuse('malformed_request', context)
    context.search = target.search
    const verdict = gate(request, target, context)
    return verdict instanceof Promise
      ? verdict.then(judged => respond(request, target, context, judged))
      : respond(request, target, context, verdict)
  }

  function respond(
    request: Request,
    target: Target,
    context: RequestContext,
    verdict: Response | Admitted,
  ): Response | Promise<Response> {
    if (verdict instanceof Response) return verdict
    const { address, visitor } = verdict
    if (address.path === SECTION_PAGE) return sectionPage(request, target.path)
    if (address.path === DEFECT_PAGE) return defectPage(request, target.path)
    const file = files.get(address.path)
    if (file) return send(request, file)

    context.visitor = visitor
    if (!context.inApi || isRead(request.method)) return askApi(request, target, context, address)
    return readJson(request).then(body => {
      context.body = body
      return askApi(request, target, context, address)
    })
  }

  function askApi(request: Request, { path, search }: Target, context: RequestContext, address: Address) {
    const target = path + search
    const read = request.method === 'GET' ? reads.get(target) : undefined
    if (read) return read().then(answer => respondWith(request, answer))
    if (context.inApi && search) queryCheckOf(request.method, address.path)(search)
    if (asksForLife(address.path, search)) return alive()
    context.remember = read => reads.set(target, read)
    setContext(request, context)
    return api.fetch(withLongHost(request, target))
  }

  function sectionPage(request: Request, path: string): Response | Promise<Response> {
    const id = path.slice(SECTION_PAGE.indexOf('{'))
    if (board.sections.has(id)) return send(request, bundle.shell)
    return isKnownSection(db, board, id).then(known =>
      known ? send(request, bundle.shell) : messagePage(renderPage, noSection),
    )
  }

  async function defectPage(request: Request, path: string): Promise<Response> {
    const found = await findDefect(db, path.slice(DEFECT_PAGE.indexOf('{')))
    return found ? send(request, bundle.shell) : messagePage(renderPage, noDefect)
  }

  let underWay = 0
  return {
    handle(request) {
      const requestId = Bun.randomUUIDv7()
      const context = { requestId, inApi: false, search: '', visitor: undefined, body: undefined }
      try {
        const response = answer(request, context)
        if (!(response instanceof Promise)) return finish(response, requestId)
        underWay++
        return response.then(
          answered => {
            underWay--
            return finish(answered, requestId)
          },
          error => {
            underWay--
            return finish(fail(error, context), requestId)
          },
        )
      } catch (error) {
        return finish(fail(error, context), requestId)
      }
    },
    drain() {
      draining = true
    },
    underWay: () => underWay,
    routes: () =>
      [...addresses.all()].flatMap(({ path, audiences }) =>
        [...audiences.keys()].map(method => ({ method, path })),
      ),
    frameworkRoutes: () => api.routes.map(({ method, path }) => ({ method, path })),
  }
}

const SECTION_PAGE = '/sections/{id}'
const DEFECT_PAGE = '/defects/{id}'
const noDefect = {
  status: 404,
  title: 'No such report',
  detail: 'Nothing was reported under this address.',
}
const noSection = {
  status: 404,
  title: 'No such section',
  detail: 'The board has no section of this name, and no defect was ever reported on one.',
}
