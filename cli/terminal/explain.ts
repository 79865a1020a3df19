import { BoardFaults } from '../../server/board/board.ts'
import { ConfigFaults, printed } from '../../server/config/faults.ts'
import { innermost } from '../../server/db/faults.ts'
import { DatabaseUnsuitable, SchemaTooNew, SchemaTooOld } from '../../server/db/migrate.ts'
import { DataDirForeign } from '../../server/embedded/data-dir.ts'
import { DataDirBusy } from '../../server/embedded/lock.ts'
import { DatabaseUnavailable, Refusal } from '../../server/errors.ts'
import { fileFault } from '../../server/file-fault.ts'
import { exit, Failure } from './faults.ts'

const known: [kind: new (...given: never[]) => Error, exitCode: number][] = [
  [SchemaTooNew, exit.schema],
  [SchemaTooOld, exit.schema],
  [DataDirBusy, exit.unreachable],
  [DataDirForeign, exit.unreachable],
  [DatabaseUnsuitable, exit.unreachable],
]

/** What a thrown error is to the person at the terminal: what to read, and an exit status. */
export function explain(error: unknown, debug = false): { messages: string[]; exitCode: number } {
  const one = (message: string, exitCode: number) => ({ messages: [message], exitCode })
  if (error instanceof ConfigFaults) return { messages: error.faults.map(printed), exitCode: exit.usage }
  if (error instanceof Failure) return { messages: error.message.split('\n'), exitCode: error.exitCode }
  if (error instanceof BoardFaults) {
    return one(['the board cannot be used:', ...error.faults].join('\n  '), exit.usage)
  }
  if (error instanceof Refusal) {
    return one([error.message, ...error.faults.map(fault => fault.message)].join(' '), exit.failed)
  }
  if (error instanceof DatabaseUnavailable) {
    return one(`the database cannot be reached: ${error.message}`, exit.unreachable)
  }
  const found = known.find(([kind]) => error instanceof kind)
  if (found) return one((error as Error).message, found[1])
  const cause = innermost(error)
  const { message, stack } = fileFault(cause) ?? cause
  return one(debug ? (stack ?? message) : message, exit.failed)
}
