import type { AuditEvent } from '../../server/audit.ts'
import { readDataConfig } from '../../server/config/read.ts'
import type { Io } from './io.ts'

/** What a command changed, for whoever collects its output; on a terminal its own words have said it. */
export function audit(io: Io, event: AuditEvent, particulars: Record<string, unknown>): void {
  if (io.watched && !io.env.LOG_FORMAT) return
  // by number: names come from the environment, which says what its user likes
  const actor = `cli:uid=${process.getuid?.()}`
  io.log(readDataConfig(io.env).log).audit(event, { actor, ...particulars })
}
