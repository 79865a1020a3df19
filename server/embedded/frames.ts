import type { Socket } from 'node:net'

const SSL_REQUEST = 80_877_103
const GSS_REQUEST = 80_877_104
const PROTOCOL_3 = 3
const MAX_STARTUP_BYTES = 10_000
const MAX_MESSAGE_BYTES = 256 * 1024 * 1024
const PARSE = 0x50
const TERMINATE = 0x58

/**
 * Cuts a client's bytes into whole messages of PostgreSQL's protocol. The start of a connection is
 * answered here: encryption declined, everybody greeted alike. 'hang up' means that the client is done,
 * wants a statement cancelled (which cannot be), or talks nonsense.
 */
export function createFrames(socket: Pick<Socket, 'write'>, greeting: Uint8Array) {
  const received: Buffer[] = []
  let size = 0
  let needed = 8
  let started = false

  return function frames(chunk: Buffer): Uint8Array[] | 'hang up' {
    received.push(chunk)
    size += chunk.length
    const messages: Uint8Array[] = []
    // A message of many chunks is put together once, not once a chunk.
    while (size >= needed) {
      const bytes = received.length === 1 ? received[0]! : Buffer.concat(received)
      const length = started ? messageLength(bytes) : startupLength(bytes)
      if (length === 'hang up') return messages.length ? messages : 'hang up'
      received.splice(0, received.length, bytes)
      needed = length
      if (size < length) break
      received[0] = bytes.subarray(length)
      size -= length
      if (started) messages.push(bytes.subarray(0, length))
      else begin(bytes.readInt32BE(4))
      needed = started ? 5 : 8
    }
    return messages
  }

  function begin(code: number) {
    started = code !== SSL_REQUEST && code !== GSS_REQUEST
    socket.write(started ? greeting : 'N')
  }
}

function startupLength(bytes: Buffer): number | 'hang up' {
  const length = bytes.readInt32BE(0)
  const code = bytes.readInt32BE(4)
  const known = code === SSL_REQUEST || code === GSS_REQUEST || code >> 16 === PROTOCOL_3
  return known && length >= 8 && length <= MAX_STARTUP_BYTES ? length : 'hang up'
}

function messageLength(bytes: Buffer): number | 'hang up' {
  const length = bytes.readInt32BE(1) + 1
  return bytes[0] === TERMINATE || length < 5 || length > MAX_MESSAGE_BYTES ? 'hang up' : length
}

export const startup = message('', `${'\0\x03\0\0'}user\0postgres\0database\0postgres\0\0`)
export const sync = message('S', '')
export const query = (text: string) => message('Q', `${text}\0`)
/** What a server says that closes a connection. */
export const fatal = (code: string, text: string) => message('E', `SFATAL\0VFATAL\0C${code}\0M${text}\0\0`)

function message(type: string, text: string): Buffer {
  const body = Buffer.from(text)
  const bytes = Buffer.alloc(type.length + 4 + body.length)
  bytes.write(type)
  bytes.writeInt32BE(body.length + 4, type.length)
  body.copy(bytes, type.length + 4)
  return bytes
}

/** The name that a Parse message gives to its statement; empty when it gives none. */
export function statementName(message: Uint8Array): string {
  return message[0] === PARSE ? Buffer.from(message.subarray(5, message.indexOf(0, 5))).toString() : ''
}
