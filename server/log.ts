import { type AuditEvent, type AuditFields, events } from './audit.ts'

export type Level = 'debug' | 'info' | 'warn' | 'error'
export type Fields = Record<string, unknown>
export type Log = Record<Level, (message: string, fields?: Fields) => void> & {
  /** A record of the audit trail, which no level silences. */
  audit(event: AuditEvent, fields: AuditFields): void
}
export type AdjustableLog = Log & { setLevel(level: Level): void }

const levels: Level[] = ['debug', 'info', 'warn', 'error']
const colours: Record<Level | 'audit', number> = { debug: 2, info: 0, warn: 33, error: 31, audit: 36 }

/** Log lines go to standard error: standard output belongs to data. */
export function createLog(
  options: { level: Level; format: 'json' | 'pretty'; colours?: boolean },
  write = (line: string) => void process.stderr.write(line),
): AdjustableLog {
  const line = options.format === 'json' ? jsonLine : options.colours ? colouredLine : prettyLine
  let threshold = levels.indexOf(options.level)
  const at = (level: Level) => {
    const rank = levels.indexOf(level)
    return (message: string, fields: Fields = {}) => {
      if (rank >= threshold) write(line(level, message, fields))
    }
  }
  return {
    ...{ debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') },
    audit: (event, fields) => write(line('audit', events[event], { event, ...fields })),
    setLevel(level) {
      threshold = levels.indexOf(level)
    },
  }
}

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {}, audit() {} }

/** JSON leaves some characters as they are that a terminal obeys. */
const controls = /[\x7f-\x9f\u2028-\u202e\u2066-\u2069]/g
const quoted = (value: unknown) =>
  String(JSON.stringify(value)).replace(controls, c => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)

function jsonLine(level: Level | 'audit', message: string, fields: Fields) {
  return `${quoted({ time: new Date().toISOString(), level, message, ...fields })}\n`
}

function prettyLine(level: Level | 'audit', message: string, fields: Fields) {
  const details = Object.entries(fields).map(([name, value]) => ` ${name}=${quoted(value)}`)
  const time = new Date().toTimeString().slice(0, 8)
  return `${time} ${level.padEnd(5)} ${message}${details.join('')}\n`
}

function colouredLine(level: Level | 'audit', message: string, fields: Fields) {
  return `\x1b[${colours[level]}m${prettyLine(level, message, fields).slice(0, -1)}\x1b[0m\n`
}
