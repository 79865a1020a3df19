import type { Command } from 'commander'
import { examples } from '../program.ts'

export function help(program: Command) {
  program
    .command('help')
    .argument('[command...]')
    .description('what a command does, with an example')
    .addHelpText('after', examples('faultline help counts'))
    .action(async (names: string[]) => {
      const isKnown = (command: Command, [name, ...rest]: string[]): boolean => {
        const found = command.commands.find(sub => sub.name() === name)
        return name === undefined || (found !== undefined && isKnown(found, rest))
      }
      // An unknown command is told so, with the nearest one, by the parser itself.
      await program.parseAsync(isKnown(program, names) ? [...names, '--help'] : names, { from: 'user' })
    })
}
