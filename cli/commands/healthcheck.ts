import { socketPathOf } from '../../server/config/rules.ts'
import type { Command } from '../command.ts'
import { Failure } from '../terminal/faults.ts'
import type { Io } from '../terminal/io.ts'

const DEADLINE_MS = 3_000

export function healthcheck(program: Command) {
  program
    .command('healthcheck')
    .description('ask the running server at HOST and PORT; for Docker and systemd')
    .option('--ready', 'also ask whether its database answers')
    .examples('faultline healthcheck --ready')
    .runs(async (io, options: { ready?: boolean }) => {
      const { url, unix } = healthAddress(io.env, options.ready)
      const where = unix ?? url.origin
      const response = await fetch(url, {
        unix,
        redirect: 'manual',
        signal: AbortSignal.any([AbortSignal.timeout(DEADLINE_MS), io.stopped]),
      }).catch(() => {
        throw new Failure(`nobody answers at ${where}`)
      })
      const said = (await response.json().catch(() => ({}))) as { status?: unknown; database?: unknown }
      if (response.status === 200 && said.status === 'ok') return io.print('ok')
      const reason = reasons[String(said.status)] ?? reasons[String(said.database)]
      if (reason) throw new Failure(`the server is up; ${reason}`)
      throw new Failure(`${where} answers ${response.status}, which is not Faultline's answer`)
    })
}

/** Why it is not ready, by a word of its answer. */
const reasons: Record<string, string> = {
  draining: 'it was told to stop',
  unreachable: 'its database is out of reach',
  read_only: 'its database takes no reports',
}

/** Whom to ask: a server that listens everywhere is asked on loopback. */
function healthAddress(env: Io['env'], ready = false): { url: URL; unix?: string } {
  const host = env.HOST?.trim() || '127.0.0.1'
  const path = `/api/health${ready ? '' : '?live'}`
  const unix = socketPathOf(host)
  if (unix) return { url: new URL(`http://localhost${path}`), unix }
  const everywhere: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '[::1]', '[::]': '[::1]' }
  const name = everywhere[host] ?? (host.includes(':') && !host.startsWith('[') ? `[${host}]` : host)
  return { url: new URL(`http://${name}:${env.PORT?.trim() || '3000'}${path}`) }
}
