import type { Command } from '../command.ts'
import unit from './faultline.service' with { type: 'text' }

export function systemd(program: Command) {
  program
    .command('systemd')
    .description('print a unit for systemd that runs the server')
    .examples('faultline systemd | sudo tee /etc/systemd/system/faultline.service')
    .runs(async io => io.print(unit.trimEnd()))
}
