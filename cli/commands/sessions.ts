import { setTimeout as pause } from 'node:timers/promises'
import { endSessions, KNOWN_AFTER_MS } from '../../server/auth/cutoffs.ts'
import { addressOf } from '../../server/auth/identity.ts'
import type { Command } from '../command.ts'
import { audit } from '../terminal/audit.ts'
import { open } from '../terminal/database.ts'
import { exit, Failure } from '../terminal/faults.ts'

interface Options {
  all?: boolean
  email?: string
}

export function sessions(program: Command) {
  const sessions = program
    .command('sessions')
    .description('who is signed in: sessions are cookies, nobody keeps a list of them')

  sessions
    .command('end')
    .description('signs people out everywhere: sessions that began until now are no longer accepted')
    .option('--all', "everybody's")
    .option('--email <address>', 'those of one person')
    .examples('faultline sessions end --email alice@example.com', 'faultline sessions end --all')
    .runs(async (io, { all, email }: Options) => {
      const person = all ? undefined : addressOf(email ?? '')
      if (all ? email !== undefined : person === undefined) throw new Failure(whose(email), exit.usage)
      await endSessions(await open(io), person)
      audit(io, 'sessions_ended', { of: person ?? 'everybody' })
      await pause(KNOWN_AFTER_MS, undefined, { signal: io.stopped }).catch(() => {})
      io.say(`The sessions of ${person ?? 'everybody'} have ended, on every server of this database.`)
    })
}

function whose(email?: string): string {
  if (email === undefined) return 'whose sessions? give --email ADDRESS, or --all'
  return `--email takes one address such as alice@example.com, and goes without --all`
}
