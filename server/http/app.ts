import { openapi } from '@elysiajs/openapi'
import { Elysia } from 'elysia'
import { contextOf, setContext } from '../auth/guards.ts'
import { authRoutes } from '../auth/routes.ts'
import { isKnownSection } from '../defects/narrowing.ts'
import { defectRoutes } from '../defects/routes.ts'
import type { Deps } from '../deps.ts'
import { projectRoutes } from '../projects/routes.ts'
import { pushRoutes } from '../push/routes.ts'
import { messagePage } from './document.ts'
import { bodyRead, ownError, queryNamesOf, withJsonType, withLongHost } from './elysia.ts'
import { type Bundle, pictureFile, send } from './files.ts'
import { type Admitted, createGate } from './gate.ts'
import { createFinish } from './headers.ts'
import { healthRoutes } from './health.ts'
import { type Answering, createErrorMapper, createRefuse } from './problem.ts'
import { checkQuery, createTargetReader, isApi, isRead, readJson, seemsApi } from './request.ts'
import { createAddressBook, pageRoutes } from './routes.ts'

export type App = ReturnType<typeof createApi>

type Fail = ReturnType<typeof createErrorMapper>

/** The whole API, one feature a line. */
const createApi = (deps: Deps, fail: Fail) =>
  new Elysia({ strictPath: true, normalize: false })
    .onError(({ error, request }) => fail(ownError(error), contextOf(request)))
    .use(description)
    .use(healthRoutes(deps))
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
  const finish = createFinish(config)
  const readTarget = createTargetReader()
  const api = createApi(deps, fail)
  const queryNames = queryNamesOf(api.routes)
  const addresses = createAddressBook(config, bundle.files.keys())
  const gate = createGate({ config, sessions, addresses, refuse })
  const files = new Map([
    ...bundle.files,
    ['/board.svg', pictureFile(board.svg)],
    ...pageRoutes.map(([, path]) => [path, bundle.shell] as const),
  ])

  /** The rules of the contract's section 3 in their order; the gate knows the first six. */
  function answer(request: Request, answering: Answering): Response | Promise<Response> {
    const target = readTarget(request)
    answering.inApi = target ? isApi(target.path) : seemsApi(request.url)
    if (!target) return refuse('malformed_request', answering)
    const verdict = gate(request, target, answering)
    if (verdict instanceof Promise) return verdict.then(judged => go(request, judged, answering))
    return go(request, verdict, answering)
  }

  function go(request: Request, verdict: Response | Admitted, answering: Answering) {
    if (verdict instanceof Response) return verdict
    const file = files.get(verdict.address.path)
    if (verdict.address.path === SECTION_PAGE) return sectionPage(request, verdict.path)
    return file ? send(request, file) : askApi(request, verdict, answering)
  }

  async function askApi(request: Request, admitted: Admitted, answering: Answering): Promise<Response> {
    const { visitor, address, path, search } = admitted
    const body = answering.inApi && !isRead(request.method) ? await readJson(request) : undefined
    if (answering.inApi) checkQuery(search, queryNames(request.method, address.path))
    setContext(request, { ...answering, search, body, ...(visitor ? { visitor } : {}) })
    return withJsonType(await api.fetch(withLongHost(request, path + search)))
  }

  async function sectionPage(request: Request, path: string): Promise<Response> {
    const id = path.slice(SECTION_PAGE.indexOf('{'))
    if (await isKnownSection(db, board, id)) return send(request, bundle.shell)
    return messagePage(renderPage, noSection)
  }

  let underWay = 0
  return {
    handle(request) {
      const requestId = Bun.randomUUIDv7()
      const answering = { requestId, inApi: false }
      try {
        const response = answer(request, answering)
        if (!(response instanceof Promise)) return finish(response, requestId)
        underWay++
        return response
          .catch(error => fail(error, answering))
          .then(answered => {
            underWay--
            return finish(answered, requestId)
          })
      } catch (error) {
        return finish(fail(error, answering), requestId)
      }
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
const noSection = {
  status: 404,
  title: 'No such section',
  detail: 'The board has no section of this name, and no defect was ever reported on one.',
}
