import { assets } from '../../server/assets.ts'
import { loadBoard } from '../../server/board/board.ts'
import type { Deps } from '../../server/deps.ts'
import { createApp } from '../../server/http/app.ts'
import { createWeb } from '../../server/http/files.ts'
import { silentLog } from '../../server/log.ts'
import type { TestApp } from './app.ts'

/** Every route of the application as it runs, not a list kept by hand. */
export function everyRoute({ config, db }: TestApp): { method: string; path: string }[] {
  const unused = {} as Deps['push'] & Deps['oidc']
  const web = createWeb(assets.web)
  const deps = {
    config,
    db,
    board: loadBoard(),
    renderPage: web.render,
    push: unused,
    oidc: unused,
    log: silentLog,
  }
  return createApp(deps, web).routes()
}
