import type { Command } from '../command.ts'
import unit from './faultline.service' with { type: 'text' }

export function systemd(program: Command) {
  program
    .command('systemd')
    .description('print a unit for systemd that runs the server')
    .option('--template', 'one for several servers that share a port: faultline@1, faultline@2, …')
    .examples('faultline systemd | sudo tee /etc/systemd/system/faultline.service')
    .runs(async (io, { template }: { template?: boolean }) =>
      io.print((template ? asTemplate(unit) : unit).trimEnd()),
    )
}

/** They keep nothing on this machine, so there is no directory of theirs. */
const asTemplate = (unit: string) =>
  unit
    .replace('Description=Faultline', 'Description=Faultline, server %i')
    .replace(/^StateDirectory=[\s\S]*?^Environment=.*$/m, 'Environment=REUSE_PORT=true')
