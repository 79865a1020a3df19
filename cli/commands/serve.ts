import { environment } from '../../server/config/env-file.ts'
import { ConfigFaults, settingFault } from '../../server/config/faults.ts'
import { type Config, readConfig, serverSettings } from '../../server/config/read.ts'
import { type Env, type Name, names } from '../../server/config/settings.ts'
import { fileFault } from '../../server/file-fault.ts'
import { shortages } from '../../server/machine.ts'
import type { Reread } from '../../server/serve.ts'
import type { Command } from '../command.ts'
import { Failure } from '../terminal/faults.ts'
import type { Io } from '../terminal/io.ts'

export function serve(program: Command) {
  program
    .command('serve')
    .description('the server')
    .examples('faultline serve --env-file .env')
    .runs(io => runServer(io, program.opts().envFile), { ownSignals: true, besideDemo: false })
}

async function runServer(io: Io, envFile?: string) {
  const config = readConfig(io.env)
  const { serveUntilStopped } = await import('../../server/serve.ts')
  // Who closes the terminal wants it to end.
  const reread = io.watched ? undefined : rereadFrom(io.env, envFile)
  const log = io.log(config.log)
  const { databaseUrl, dataDir } = config
  for (const { said, mend } of shortages(databaseUrl ? undefined : dataDir)) log.warn(said, { mend })
  return serveUntilStopped(config, log, reread).catch(listenFault(config))
}

const RELOADED = new Set<Name>(['BOARD_FILE', 'LOG_LEVEL'])

function rereadFrom(env: Env, envFile?: string): () => Reread {
  const before = serverSettings(env)
  return () => {
    const fresh = environment(envFile, false)
    const { boardFile, log } = readConfig(fresh)
    const now = serverSettings(fresh)
    const needRestart = names.filter(name => now[name] !== before[name] && !RELOADED.has(name))
    return { boardFile, level: log.level, needRestart }
  }
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
