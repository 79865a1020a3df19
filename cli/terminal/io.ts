import type { Env } from '../../server/config/settings.ts'
import type { Paint } from './print.ts'

/** What a command meets: its settings, where its words go, and when to stop. */
export interface Io {
  env: Env
  json: boolean
  /** standard output is a terminal */
  interactive: boolean
  /** columns of that terminal; endless when the output goes elsewhere */
  screen: number
  paint: Paint
  /** data, on standard output; the caller has cleaned it */
  print(line: string): void
  /** messages, on standard error */
  say(message: string): void
  /** runs when the command ends, in whatever way */
  atEnd(undo: () => unknown): void
  stopped: AbortSignal
}
