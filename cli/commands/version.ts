import type { Command } from 'commander'
import { examples, version as own } from '../program.ts'
import { run } from '../run.ts'

export function version(program: Command) {
  program
    .command('version')
    .description('print the version')
    .option('--json', 'as JSON')
    .addHelpText('after', examples('faultline version'))
    .action((_options, command: Command) =>
      run(command, async io => {
        io.print(io.json ? JSON.stringify({ version: own, bun: Bun.version }) : `faultline ${own}`)
      }),
    )
}
