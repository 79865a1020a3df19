import type { Command } from '../command.ts'
import { version as own } from '../program.ts'

/** Told at build time; a run from source knows neither. */
declare const FAULTLINE_COMMIT: string | undefined
declare const FAULTLINE_TARGET: string | undefined

const build = {
  version: own,
  commit: typeof FAULTLINE_COMMIT === 'undefined' ? 'unknown' : FAULTLINE_COMMIT,
  target: typeof FAULTLINE_TARGET === 'undefined' ? 'source' : FAULTLINE_TARGET,
  bun: Bun.version,
}

export function version(program: Command) {
  program
    .command('version')
    .description('print the version')
    .option('--json', 'with the commit and the target it was built from and for')
    .examples('faultline version', 'faultline version --json')
    .runs(async io => {
      io.print(io.json ? JSON.stringify(build) : `faultline ${own}`)
    })
}
