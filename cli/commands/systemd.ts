import type { Command } from 'commander'
import { examples } from '../program.ts'
import { run } from '../run.ts'
import unit from './faultline.service' with { type: 'text' }

export function systemd(program: Command) {
  program
    .command('systemd')
    .description('print a unit for systemd that runs the server')
    .addHelpText('after', examples('faultline systemd | sudo tee /etc/systemd/system/faultline.service'))
    .action((_options, command: Command) => run(command, async io => io.print(unit.trimEnd())))
}
