import type { Socket } from 'node:net'

const SSL_REQUEST = 80_877_103
const GSS_REQUEST = 80_877_104
const PROTOCOL_3 = 3
const LONGEST_STARTUP = 10_000
const LARGEST_MESSAGE = 256 * 1024 * 1024
const PARSE = 0x50
const TERMINATE = 0x58

/**
 * Cuts a client's bytes into whole messages of PostgreSQL's protocol. The start of a connection is
 * answered here: encryption declined, everybody greeted alike. `over` means that the client is done,
 * wants a statement cancelled (which cannot be), or talks nonsense.
 */
export function createFrames(socket: Pick<Socket, 'write'>, greeting: Uint8Array) {
  const rest: Buffer[] = []
  let held = 0
  let needed = 8
  let started = false

  return function frames(chunk: Buffer): Uint8Array[] | 'over' {
    rest.push(chunk)
    held += chunk.length
    const whole: Uint8Array[] = []
    // A message of many chunks is put together once, not once a chunk.
    while (held >= needed) {
      const bytes = rest.length === 1 ? rest[0]! : Buffer.concat(rest)
      const length = started ? messageLength(bytes) : startupLength(bytes)
      if (length === 'over') return whole.length ? whole : 'over'
      rest.splice(0, rest.length, bytes)
      needed = length
      if (held < length) break
      rest[0] = bytes.subarray(length)
      held -= length
      if (started) whole.push(bytes.subarray(0, length))
      else begin(bytes.readInt32BE(4))
      needed = started ? 5 : 8
    }
    return whole
  }

  function begin(code: number) {
    started = code !== SSL_REQUEST && code !== GSS_REQUEST
    socket.write(started ? greeting : 'N')
  }
}

function startupLength(bytes: Buffer): number | 'over' {
  const length = bytes.readInt32BE(0)
  const code = bytes.readInt32BE(4)
  const known = code === SSL_REQUEST || code === GSS_REQUEST || code >> 16 === PROTOCOL_3
  return known && length >= 8 && length <= LONGEST_STARTUP ? length : 'over'
}

function messageLength(bytes: Buffer): number | 'over' {
  const length = bytes.readInt32BE(1) + 1
  return bytes[0] === TERMINATE || length < 5 || length > LARGEST_MESSAGE ? 'over' : length
}

export const startup = message('', `${'\0\x03\0\0'}user\0postgres\0database\0postgres\0\0`)
export const sync = message('S', '')
export const query = (text: string) => message('Q', `${text}\0`)
/** The last words of a server that closes a connection. */
export const fatal = (code: string, text: string) => message('E', `SFATAL\0VFATAL\0C${code}\0M${text}\0\0`)

function message(type: string, text: string): Buffer {
  const body = Buffer.from(text)
  const whole = Buffer.alloc(type.length + 4 + body.length)
  whole.write(type)
  whole.writeInt32BE(body.length + 4, type.length)
  body.copy(whole, type.length + 4)
  return whole
}

/** The name that a Parse message gives to its statement; empty when it gives none. */
export function statementName(message: Uint8Array): string {
  return message[0] === PARSE ? Buffer.from(message.subarray(5, message.indexOf(0, 5))).toString() : ''
}
