#!/usr/bin/env bun
import { backup } from './backup.ts'
import { counts } from './counts.ts'
import { demo } from './demo.ts'
import { doctor } from './doctor.ts'
import { feed } from './feed.ts'
import { healthcheck } from './healthcheck.ts'
import { help } from './help.ts'
import { init } from './init.ts'
import { migrate } from './migrate.ts'
import { createProgram, start } from './program.ts'
import { projects } from './projects.ts'
import { push } from './push.ts'
import { restore } from './restore.ts'
import { serve } from './serve.ts'
import { tail } from './tail.ts'
import { version } from './version.ts'

// What a library is deprecated for is not for the people who run this to read.
process.noDeprecation = true

const commands = {
  'Run it:': [serve, demo],
  'Set it up:': [init, doctor, migrate, healthcheck],
  'Read it:': [counts, feed, tail, projects, push],
  'Keep it:': [backup, restore],
  'About it:': [version, help],
}

const program = createProgram()
for (const [heading, group] of Object.entries(commands)) {
  program.commandsGroup(heading)
  for (const add of group) add(program)
}
await start(program, process.argv)
