import { InvalidArgumentError } from 'commander'
import type { Check } from '../checks/check.ts'
import { examine } from '../checks/examine.ts'
import type { Command } from '../command.ts'
import { exit } from '../terminal/faults.ts'
import type { Io } from '../terminal/io.ts'
import { json, oneLine, padEnd, width } from '../terminal/print.ts'

export function doctor(program: Command) {
  program
    .command('doctor')
    .description(
      'examine settings, machine, database, board, identity provider and push; say how to mend each fault',
    )
    .option('--json', '{"ok","checks":[{"name","status","said","mend"}]}')
    .option('--probe <url>', 'what stands in front of the running server too, seen from outside', webAddress)
    .examples(
      'faultline doctor --env-file .env',
      'faultline doctor --env-file .env --probe https://faultline.example.com',
    )
    .runs(async (io, { probe }: { probe?: string }) => {
      const checks: Check[] = []
      for await (const check of examine(io, { envFile: program.opts().envFile, probe })) {
        checks.push(check)
        if (!io.json) io.print(...drawn(check, io))
      }
      const faults = checks.filter(check => check.status === 'fault').length
      if (io.json) io.print(json({ ok: faults === 0, checks }, 2))
      else
        io.print(faults ? `\n${faults === 1 ? 'One fault' : `${faults} faults`} to mend.` : '\nAll is well.')
      return faults ? exit.failed : exit.ok
    })
}

function webAddress(text: string): string {
  const url = URL.parse(text)
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password) return url.origin
  throw new InvalidArgumentError('Give an address such as https://faultline.example.com.')
}

const NAME_COLUMNS = 14
const marks = { ok: 'ok    ', warning: 'warn  ', fault: 'FAULT ', skipped: 'skip  ' }

function drawn({ name, status, said, mend }: Check, { paint, screen }: Io): string[] {
  const colour = { ok: paint.good, warning: paint.warm, fault: paint.bad, skipped: paint.dim }[status]
  const indent = ' '.repeat(marks.ok.length + NAME_COLUMNS)
  const wrapped = (text: string) => {
    const room = Math.max(20, screen - width(indent))
    return (screen === Number.POSITIVE_INFINITY ? text : Bun.wrapAnsi(text, room, { hard: true })).split('\n')
  }
  const [first = '', ...rest] = wrapped(oneLine(said))
  return [
    colour(marks[status]) + padEnd(name, NAME_COLUMNS) + first,
    ...rest.map(line => indent + line),
    ...(mend ? wrapped(`→ ${oneLine(mend)}`).map(line => indent + line) : []),
  ]
}
