#!/usr/bin/env bun
import { backup } from './commands/backup.ts'
import { board } from './commands/board.ts'
import { completion } from './commands/completion.ts'
import { counts } from './commands/counts.ts'
import { demo } from './commands/demo.ts'
import { doctor } from './commands/doctor.ts'
import { exportDefects } from './commands/export.ts'
import { feed } from './commands/feed.ts'
import { healthcheck } from './commands/healthcheck.ts'
import { help } from './commands/help.ts'
import { init } from './commands/init.ts'
import { migrate } from './commands/migrate.ts'
import { projects } from './commands/projects.ts'
import { push } from './commands/push.ts'
import { recount } from './commands/recount.ts'
import { restore } from './commands/restore.ts'
import { serve } from './commands/serve.ts'
import { sessions } from './commands/sessions.ts'
import { systemd } from './commands/systemd.ts'
import { tail } from './commands/tail.ts'
import { trends } from './commands/trends.ts'
import { version } from './commands/version.ts'
import { createProgram, runProgram } from './program.ts'

// What a library is deprecated for is not for the people who run this to read.
process.noDeprecation = true

const commands = {
  'Run it:': [serve, demo],
  'Set it up:': [init, doctor, board, migrate, healthcheck, systemd, completion],
  'Read it:': [counts, trends, feed, tail, exportDefects, projects, push],
  'Keep it:': [backup, restore, recount, sessions],
  'About it:': [version, help],
}

const program = createProgram()
for (const [heading, group] of Object.entries(commands)) {
  program.commandsGroup(heading)
  for (const add of group) add(program)
}
await runProgram(program, process.argv)
