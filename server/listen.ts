import { chmodSync, lstatSync, readFileSync, rmSync } from 'node:fs'
import { createConnection } from 'node:net'
import { FileFault } from './file-fault.ts'
import type { Log } from './log.ts'

export interface Place {
  host: string
  port: number
  /** listen here instead of on `host` and `port` */
  socketPath?: string
  reusePort: boolean
}

export interface Listening {
  /** e.g. `http://127.0.0.1:3000`, `unix:///run/faultline/http.sock` */
  readonly url: string
  readonly pendingRequests: number
  stop(atOnce?: boolean): Promise<void>
}

const BODY_MOST_BYTES = 1024 * 1024
/** Longer than any answer of ours takes; who sends a request more slowly than this is cut off. */
const IDLE_SECONDS = 12
/** For the proxy, whose user is in our group. */
const SOCKET_MODE = 0o660

type Handle = (request: Request) => Response | Promise<Response>

export async function listen(place: Place, handle: Handle, log: Log): Promise<Listening> {
  const { socketPath, host, port, reusePort } = place
  if (socketPath) await removeLeftOver(socketPath)
  const where = socketPath ? { unix: socketPath } : { hostname: host, port, reusePort }
  // The types forget that `idleTimeout` holds on a unix socket too.
  const server = Bun.serve({
    ...(where as { hostname?: string }),
    development: false,
    maxRequestBodySize: BODY_MOST_BYTES,
    idleTimeout: IDLE_SECONDS,
    fetch: handle,
    error(error) {
      log.error('a response failed', { error: error.message })
      return new Response(null, { status: 500 })
    },
  })
  if (socketPath) chmodSync(socketPath, SOCKET_MODE)
  const url = socketPath ? `unix://${socketPath}` : server.url.origin
  log.info('listening', { url })
  if (reusePort && !handsConnectionsOn()) {
    log.warn('a server that stops resets connections that wait to be accepted', {
      mend: 'sysctl net.ipv4.tcp_migrate_req=1',
    })
  }
  return {
    url,
    get pendingRequests() {
      return server.pendingRequests
    },
    stop: atOnce => server.stop(atOnce),
  }
}

/** A killed process leaves its socket file behind; one that somebody answers on is left alone. */
async function removeLeftOver(path: string): Promise<void> {
  const there = lstatSync(path, { throwIfNoEntry: false })
  if (there && !there.isSocket()) {
    throw new FileFault(path, 'because it is no socket', 'move it away, or name another path in HOST')
  }
  if (there && !(await isAnswered(path))) rmSync(path, { force: true })
}

const isAnswered = (path: string) =>
  new Promise<boolean>(resolve => {
    const socket = createConnection(path)
    const end = (answered: boolean) => () => {
      socket.destroy()
      resolve(answered)
    }
    socket.once('connect', end(true)).once('error', end(false))
  })

/** Whether Linux gives what waits at a listener that goes to another one of the same port. */
function handsConnectionsOn(): boolean {
  try {
    return readFileSync('/proc/sys/net/ipv4/tcp_migrate_req', 'utf8').trim() === '1'
  } catch {
    return false
  }
}
