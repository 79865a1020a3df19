import type { TSchema } from '@sinclair/typebox'
import { InvalidArgumentError, Option } from 'commander'
import type { Board } from '../../server/board/board.ts'
import type { Database } from '../../server/db/database.ts'
import {
  missingValues,
  type Narrowing,
  type NarrowingName,
  narrowings,
} from '../../server/defects/narrowing.ts'
import { faultOf } from '../../server/wire.ts'
import { exit, Failure } from './faults.ts'

/** The option of this name, under the rule that holds on the wire. */
export function narrowingOption(name: NarrowingName): Option {
  const { value: rule, option } = narrowings[name]
  return new Option(`--${optionName(name)} <${option.value}>`, option.description).argParser(ruled(rule))
}

/** Takes what the rule takes. */
export const ruled = (rule: TSchema) => (text: string) => {
  const fault = faultOf(rule, text)
  if (fault === undefined) return text
  throw new InvalidArgumentError(`It ${fault}.`)
}

function optionName(name: NarrowingName): string {
  const { option } = narrowings[name]
  return 'name' in option ? option.name : name
}

/** What the options of a command narrow by. */
export const narrowingOf = (options: Record<string, unknown>): Narrowing =>
  Object.fromEntries(
    (Object.keys(narrowings) as NarrowingName[]).flatMap(name => {
      const value = options[optionName(name)]
      return value === undefined ? [] : [[name, value]]
    }),
  )

/** Refuses to narrow by what is not there. */
export async function checkNarrowing(db: Database, board: Board, narrowing: Narrowing): Promise<void> {
  const missing = await missingValues({ db, board }, narrowing)
  if (!missing.length) return
  const said = missing.map(({ field }) => {
    const value = narrowing[field as NarrowingName]
    const sections = field === 'section' ? ` The sections are ${[...board.sections.keys()].join(', ')}.` : ''
    return `--${optionName(field as NarrowingName)}: there is no ${field} "${value}".${sections}`
  })
  throw new Failure(said.join('\n'), exit.usage)
}
