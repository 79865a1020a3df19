import { ConfigFaults, settingFault } from '../../server/config/faults.ts'
import { type Config, readConfig } from '../../server/config/read.ts'
import { fileFault } from '../../server/file-fault.ts'
import type { Command } from '../command.ts'
import { Failure } from '../terminal/faults.ts'
import type { Io } from '../terminal/io.ts'

export function serve(program: Command) {
  program
    .command('serve')
    .description('the server')
    .examples('faultline serve --env-file .env')
    .runs(runServer, { ownSignals: true, besideDemo: false })
}

async function runServer(io: Io) {
  const config = readConfig(io.env)
  const { serveUntilStopped } = await import('../../server/serve.ts')
  return serveUntilStopped(config, io.log(config.log)).catch(listenFault(config))
}

/** Why the server cannot listen, by the setting that has to change. */
export const listenFault =
  ({ port, socketPath }: Config) =>
  (error: unknown): never => {
    const { code, syscall } = error as { code?: string; syscall?: string }
    if (syscall !== 'listen') throw error
    if (socketPath) throw new Failure(socketFault(code, socketPath))
    if (code === 'EADDRINUSE') throw new Failure(`port ${port} is in use; set PORT to another one`)
    if (code === 'EACCES')
      throw new Failure(`port ${port} may not be opened by this user; set PORT to one above 1023`)
    throw new ConfigFaults([settingFault('HOST', `is no address of this machine (${code})`)])
  }

function socketFault(code: string | undefined, path: string): string {
  if (code === 'EADDRINUSE') return `a server answers at ${path} already; set HOST to another path`
  const { message } = fileFault({ code, syscall: 'create' }, path) ?? {
    message: `${path} cannot be listened on (${code})`,
  }
  return message
}
