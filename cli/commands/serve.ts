import type { Command } from 'commander'
import { readConfig } from '../../server/config/read.ts'
import { createLog } from '../../server/log.ts'
import { examples } from '../program.ts'
import { run } from '../run.ts'
import { Failure } from '../terminal/faults.ts'

export function serve(program: Command) {
  program
    .command('serve')
    .description('the server')
    .addHelpText('after', examples('faultline serve --env-file .env'))
    .action((_options, command: Command) =>
      run(
        command,
        async io => {
          const config = readConfig(io.env)
          const { serveUntilStopped } = await import('../../server/serve.ts')
          return serveUntilStopped(config, createLog(config.log)).catch(busyPort(config.port))
        },
        { ownSignals: true, besideDemo: false },
      ),
    )
}

export const busyPort = (port: number) => (error: unknown) => {
  const code = (error as { code?: string }).code
  if (code === 'EADDRINUSE') throw new Failure(`port ${port} is in use; set PORT to another one`)
  if (code === 'EACCES')
    throw new Failure(`port ${port} may not be opened by this user; set PORT to one above 1023`)
  throw error
}
