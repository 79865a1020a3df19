import type { DataConfig } from '../../server/config/read.ts'
import type { Env } from '../../server/config/settings.ts'
import type { AdjustableLog } from '../../server/log.ts'
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
  /** standard error is a terminal on which a line can be drawn anew */
  watched: boolean
  /** a log on standard error, in colours where they are wanted */
  log(settings: DataConfig['log']): AdjustableLog
  /** data, on standard output; the caller has cleaned it */
  print(...lines: string[]): void
  /** messages, on standard error */
  say(message: string): void
  /** runs when the command ends, in whatever way */
  atEnd(cleanup: () => unknown): void
  stopped: AbortSignal
}
