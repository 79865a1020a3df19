import type { Config } from '../config/read.ts'
import { catalogue } from '../errors.ts'
import { errorPage, type Web } from './files.ts'
import type { Surface } from './gate.ts'

interface Route {
  method: string
  path: string
  hooks?: { query?: { properties?: object } }
}

const read = new Set(['GET', 'HEAD'])

/** The table of everything that answers, made from the routes themselves: it cannot lag behind them. */
export function createSurface(apiRoutes: Route[], config: Config, web: Web) {
  const methods = new Map<string, Set<string>>([['/board.svg', read]])
  const queryKeys = new Map<string, Set<string>>()
  const callback = `/auth/${config.oauth.provider}/callback`
  for (const { method, path, hooks } of apiRoutes) {
    const known = methods.get(path) ?? methods.set(path, new Set()).get(path)!
    known.add(method)
    // A HEAD would burn the code that the callback came with.
    if (method === 'GET' && path !== callback) known.add('HEAD')
    queryKeys.set(`${method} ${path}`, new Set(Object.keys(hooks?.query?.properties ?? {})))
  }

  return {
    methods: path => methods.get(path) ?? (web.has(path) || web.isPage(path) ? read : undefined),
    isPublicFile: path => web.has(path),
    isSignIn: path => path === '/login',
    notFound: () => errorPage(web.render, 404, catalogue.not_found),
    queryKeys: (method: string, path: string) =>
      queryKeys.get(`${method === 'HEAD' ? 'GET' : method} ${path}`) ?? new Set<string>(),
    routes: () => [
      ...[...methods].flatMap(([path, known]) => [...known].map(method => ({ method, path }))),
      ...['/', ...web.files()].map(path => ({ method: 'GET', path })),
    ],
  } satisfies Surface & Record<string, unknown>
}
