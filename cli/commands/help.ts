import type { Command } from 'commander'
import { examples, statuses, version } from '../program.ts'
import { manPage } from '../terminal/man.ts'
import { outline } from '../terminal/outline.ts'

export function help(program: Command) {
  program
    .command('help')
    .argument('[command...]')
    .description('what a command does, with an example')
    .option('--man', 'all of it as a manual page')
    .addHelpText('after', examples('faultline help counts', 'faultline help --man | man -l -'))
    .action(async (names: string[], { man }: { man?: boolean }) => {
      if (man) return void process.stdout.write(`${manPage(outline(program), version, statuses)}\n`)
      const isKnown = (command: Command, [name, ...rest]: string[]): boolean => {
        const found = command.commands.find(sub => sub.name() === name)
        return name === undefined || (found !== undefined && isKnown(found, rest))
      }
      // An unknown command is told so, with the nearest one, by the parser itself.
      await program.parseAsync(isKnown(program, names) ? [...names, '--help'] : names, { from: 'user' })
    })
}
