import { chmodSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import type { PGlite } from '@electric-sql/pglite'
import { createFrames } from './frames.ts'

/**
 * One PostgreSQL session shared by many clients. From its first message until the session is ready
 * again and outside a transaction, a client owns it; the others wait. So transactions stay apart,
 * and nobody's unnamed statement is replaced half way.
 */
interface Client {
  socket: Socket
  pending: Uint8Array[]
  /** the type of the last message run for this client */
  last: string
}

const IDLE_IN_TRANSACTION_MS = 2_000
const MOST_CLIENTS = 100

export async function serveSessions(
  database: PGlite,
  socketPath: string,
  onFailure: (error: unknown) => void,
) {
  const clients = new Set<Client>()
  const waiting: Client[] = []
  let owner: Client | undefined
  let idle: Timer | undefined

  function arrived(client: Client, messages: Uint8Array[]) {
    client.pending.push(...messages)
    if (owner === client || waiting.includes(client)) {
      if (owner === client) run()
      return
    }
    waiting.push(client)
    if (!owner) next()
  }

  function next() {
    owner = waiting.shift()
    if (owner) run()
  }

  /** Everything that the owner has sent; synchronous, as the database is. */
  function run() {
    clearTimeout(idle)
    while (owner) {
      const client = owner
      try {
        for (const message of client.pending.splice(0)) answer(client, message)
      } catch (error) {
        onFailure(error)
        return
      }
      if (!isFree(client)) {
        idle = setTimeout(() => drop(client), IDLE_IN_TRANSACTION_MS)
        return
      }
      owner = waiting.shift()
    }
  }

  function answer(client: Client, message: Uint8Array) {
    client.last = String.fromCharCode(message[0]!)
    const reply = database.execProtocolRawSync(message)
    if (reply.length && client.socket.writable) client.socket.write(reply)
  }

  /** Ready for anybody: the client's last word was a query or a sync, and no transaction is open. */
  function isFree(client: Client): boolean {
    return /[SQ\0]/.test(client.last) && !database.isInTransaction()
  }

  function drop(client: Client) {
    client.socket.destroy()
    forget(client)
  }

  /** Whatever a client leaves behind goes with it. */
  function forget(client: Client) {
    if (!clients.delete(client)) return
    const place = waiting.indexOf(client)
    if (place >= 0) waiting.splice(place, 1)
    if (owner && owner !== client) return
    clearTimeout(idle)
    database.execProtocolRawSync(syncMessage)
    if (database.isInTransaction()) database.execProtocolRawSync(queryMessage('ROLLBACK'))
    database.execProtocolRawSync(queryMessage('DISCARD ALL'))
    next()
  }

  const server = createServer(socket => {
    const client: Client = { socket, pending: [], last: '' }
    const frames = createFrames(socket)
    clients.add(client)
    socket.on('data', (chunk: Buffer) => {
      const messages = frames(chunk)
      if (messages === 'over') drop(client)
      else if (messages.length) arrived(client, messages)
    })
    socket.on('error', () => socket.destroy())
    socket.on('close', () => forget(client))
  })
  server.maxConnections = MOST_CLIENTS
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(socketPath, resolve)
  })
  chmodSync(socketPath, 0o600)

  return {
    async close() {
      server.close()
      for (const client of clients) client.socket.destroy()
    },
  }
}

const syncMessage = Uint8Array.of(0x53, 0, 0, 0, 4)

function queryMessage(text: string): Uint8Array {
  const message = Buffer.alloc(text.length + 6)
  message.write('Q')
  message.writeInt32BE(text.length + 5, 1)
  message.write(text, 5)
  return message
}
