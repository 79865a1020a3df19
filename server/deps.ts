import type { Oidc } from './auth/oidc.ts'
import type { Sessions } from './auth/session.ts'
import type { Board } from './board/board.ts'
import type { Config } from './config/read.ts'
import type { Database } from './db/database.ts'
import type { Log } from './log.ts'
import type { PushQueue } from './push/queue.ts'

/** Makes a page of the server. `body` is HTML in which all text is escaped already. */
export type RenderPage = (page: {
  title: string
  body: string
  status?: number
  headers?: [name: string, value: string][]
}) => Response

/** All that a feature may ask for. Nothing here is a singleton: a test makes its own. */
export interface Deps {
  config: Config
  db: Database
  board: Board
  push: PushQueue
  oidc: Oidc
  sessions: Sessions
  renderPage: RenderPage
  log: Log
}
