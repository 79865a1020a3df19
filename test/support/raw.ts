import { connect } from 'node:net'

/** Sends bytes as they are: fetch and browsers would mend the path first. Hangs up when `until` holds. */
export function raw(
  origin: string,
  bytes: string,
  { waitMs = 60_000, until = (_: string): boolean => false } = {},
): Promise<string> {
  const { hostname, port } = new URL(origin)
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(Number(port), hostname, () => socket.write(bytes, 'latin1'))
    const timer = setTimeout(() => socket.destroy(), waitMs)
    socket.setEncoding('latin1')
    socket.on('data', chunk => {
      answer += chunk
      if (until(answer)) socket.destroy()
    })
    socket.on('error', error =>
      ['ECONNRESET', 'EPIPE'].includes((error as { code?: string }).code ?? '')
        ? socket.destroy()
        : reject(error),
    )
    socket.on('close', () => {
      clearTimeout(timer)
      resolve(answer)
    })
  })
}

export function rawGet(
  origin: string,
  target: string,
  headers: string[] = [],
  method = 'GET',
): Promise<string> {
  const host = headers.some(header => /^host:/i.test(header)) ? [] : [`Host: ${new URL(origin).host}`]
  return raw(
    origin,
    `${[`${method} ${target} HTTP/1.1`, ...host, ...headers, 'Connection: close'].join('\r\n')}\r\n\r\n`,
  )
}

/** 0 when the server closed without an answer. */
export const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0)

/** Whether nobody listens there any more: asked with a connection of its own, not with one kept alive. */
export function refusesConnections(origin: string): Promise<boolean> {
  const { hostname, port } = new URL(origin)
  return new Promise(resolve => {
    const socket = connect(Number(port), hostname, () => {
      socket.destroy()
      resolve(false)
    })
    socket.on('error', () => resolve(true))
  })
}
