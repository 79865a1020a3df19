import { statSync } from 'node:fs'
import type { Judged } from '../../server/config/partial.ts'
import { type Check, fault, ok } from './check.ts'

export function* checkSettings({ config, faults }: Judged, envFile?: string): Generator<Check> {
  for (const { setting, message, fix } of faults) yield fault('settings', `${setting}: ${message}`, fix)
  if (envFile && (statSync(envFile).mode & 0o077) !== 0) {
    yield fault('settings', `others may read ${envFile}`, `chmod 600 ${envFile}`)
  }
  if (config && !faults.length) yield ok('settings', `complete, for ${config.publicUrl}`)
}
