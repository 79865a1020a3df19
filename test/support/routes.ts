import { assets } from '../../server/assets.ts'
import { createSessions } from '../../server/auth/session.ts'
import { loadBoard } from '../../server/board/board.ts'
import type { Deps } from '../../server/deps.ts'
import { createApp, type HttpApp } from '../../server/http/app.ts'
import { createRenderer } from '../../server/http/document.ts'
import { readBundle } from '../../server/http/files.ts'
import { silentLog } from '../../server/log.ts'
import type { TestApp } from './app.ts'

/** The application as it runs, to be asked for its routes. */
export function httpApp(
  { config, db }: Pick<TestApp, 'config' | 'db'>,
  sessions = createSessions(config),
): HttpApp {
  const unused = {} as Deps['push'] & Deps['oidc']
  const bundle = readBundle(assets.web)
  const deps: Deps = {
    config,
    db,
    board: loadBoard(),
    sessions,
    renderPage: createRenderer(bundle.template),
    push: unused,
    oidc: unused,
    log: silentLog,
  }
  return createApp(deps, bundle)
}

/** Every route of the application as it runs, not a list kept by hand. */
export const everyRoute = (app: TestApp) => httpApp(app).routes()
