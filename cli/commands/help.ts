import type { Command } from '../command.ts'
import { statuses, version } from '../program.ts'
import { manPage } from '../terminal/man.ts'
import { commandPath, everyCommand } from '../terminal/outline.ts'

export function help(program: Command) {
  program
    .command('help')
    .argument('[command...]')
    .description('what a command does, with an example')
    .option('--man', 'all of it as a manual page')
    .examples('faultline help counts', 'faultline help --man | man -l -')
    .action(async (names: string[], { man }: { man?: boolean }) => {
      if (man) return void process.stdout.write(`${manPage(program, version, statuses)}\n`)
      const isKnown = everyCommand(program).some(command => Bun.deepEquals(commandPath(command), names))
      // An unknown command is told so, with the nearest one, by the parser itself.
      await program.parseAsync(isKnown ? [...names, '--help'] : names, { from: 'user' })
    })
}
