import type { Command } from 'commander'
import { ConfigFaults, faultOf } from '../../server/config/faults.ts'
import { type Config, readConfig } from '../../server/config/read.ts'
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
          return serveUntilStopped(config, io.log(config.log)).catch(listenFault(config))
        },
        { ownSignals: true, besideDemo: false },
      ),
    )
}

/** Why the server cannot listen, by the setting that has to change. */
export const listenFault =
  ({ port }: Config) =>
  (error: unknown): never => {
    const { code, syscall } = error as { code?: string; syscall?: string }
    if (syscall !== 'listen') throw error
    if (code === 'EADDRINUSE') throw new Failure(`port ${port} is in use; set PORT to another one`)
    if (code === 'EACCES')
      throw new Failure(`port ${port} may not be opened by this user; set PORT to one above 1023`)
    throw new ConfigFaults([faultOf('HOST', `is no address of this machine (${code})`)])
  }
