import { BoardFaults } from '../../server/board/board.ts'
import { ConfigFaults, printed } from '../../server/config/faults.ts'
import { innermost } from '../../server/db/faults.ts'
import { DatabaseUnsuitable, SchemaTooNew, SchemaTooOld } from '../../server/db/migrate.ts'
import { DataDirForeign } from '../../server/embedded/data-dir.ts'
import { DataDirBusy } from '../../server/embedded/lock.ts'
import { DatabaseUnavailable, Refusal } from '../../server/errors.ts'
import { fileFault } from '../../server/file-fault.ts'
import { exit, Failure, UsageFault } from './faults.ts'

/** What a thrown error is to the person at the terminal: what to read, and an exit status. */
export function explain(error: unknown, debug = false): { messages: string[]; exitCode: number } {
  const one = (message: string, exitCode: number) => ({ messages: [message], exitCode })
  if (error instanceof ConfigFaults) return { messages: error.faults.map(printed), exitCode: exit.usage }
  if (error instanceof UsageFault) return { messages: error.faults, exitCode: exit.usage }
  if (error instanceof BoardFaults) {
    return one(['the board cannot be used:', ...error.faults].join('\n  '), exit.usage)
  }
  if (error instanceof Failure) return one(error.message, error.exitCode)
  if (error instanceof Refusal) {
    return one([error.message, ...error.faults.map(fault => fault.message)].join(' '), exit.failed)
  }
  if (error instanceof SchemaTooNew || error instanceof SchemaTooOld) return one(error.message, exit.schema)
  if (error instanceof DataDirBusy || error instanceof DataDirForeign)
    return one(error.message, exit.unreachable)
  if (error instanceof DatabaseUnsuitable) return one(error.message, exit.unreachable)
  if (error instanceof DatabaseUnavailable) {
    return one(`the database cannot be reached: ${error.message}`, exit.unreachable)
  }
  const cause = innermost(error)
  const { message, stack } = fileFault(cause) ?? cause
  return one(debug ? (stack ?? message) : message, exit.failed)
}
