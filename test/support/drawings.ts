import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** Drawings that people made with all kinds of programs; they are not ours to hand on. */
const folder = resolve(process.env.FAULTLINE_TEST_BOARDS ?? join(import.meta.dir, '../../../shared/boards'))

export const drawings: string[] = existsSync(folder)
  ? readdirSync(folder)
      .filter(name => name.endsWith('.svg'))
      .sort()
      .map(name => join(folder, name))
  : []

/** Why their tests are skipped, where they are. */
export const noDrawings = drawings.length
  ? ''
  : ` (skipped: ${folder} holds none; FAULTLINE_TEST_BOARDS names it)`
