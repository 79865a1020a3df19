import type { Socket } from 'node:net'

const SSL_REQUEST = 80_877_103
const GSS_REQUEST = 80_877_104
const CANCEL_REQUEST = 80_877_102
const LARGEST_MESSAGE = 256 * 1024 * 1024
const TERMINATE = 0x58

/**
 * Cuts a client's bytes into whole messages of PostgreSQL's protocol. Requests for encryption are
 * declined here; `over` means that the client is done, or talks nonsense.
 */
export function createFrames(socket: Pick<Socket, 'write'>) {
  let rest: Buffer = Buffer.alloc(0)
  let started = false

  function startup(): Uint8Array | 'declined' | 'over' | undefined {
    if (rest.length < 8) return undefined
    const length = rest.readInt32BE(0)
    const code = rest.readInt32BE(4)
    if (length < 8 || length > 10_000 || code === CANCEL_REQUEST) return 'over'
    if (rest.length < length) return undefined
    const message = rest.subarray(0, length)
    rest = rest.subarray(length)
    if (code === SSL_REQUEST || code === GSS_REQUEST) {
      socket.write('N')
      return 'declined'
    }
    started = true
    return message
  }

  function message(): Uint8Array | 'over' | undefined {
    if (rest.length < 5) return undefined
    const length = rest.readInt32BE(1) + 1
    if (rest[0] === TERMINATE || length < 5 || length > LARGEST_MESSAGE) return 'over'
    if (rest.length < length) return undefined
    const whole = rest.subarray(0, length)
    rest = rest.subarray(length)
    return whole
  }

  return function frames(chunk: Buffer): Uint8Array[] | 'over' {
    rest = rest.length ? Buffer.concat([rest, chunk]) : chunk
    const whole: Uint8Array[] = []
    for (;;) {
      const next = started ? message() : startup()
      if (next === 'over') return whole.length ? whole : 'over'
      if (next === undefined) return whole
      if (next !== 'declined') whole.push(next)
    }
  }
}
