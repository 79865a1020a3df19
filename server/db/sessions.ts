import { chmodSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import type { PGlite } from '@electric-sql/pglite'
import { exchange } from './exchange.ts'
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
  /** names of statements that it prepared */
  statements: Set<string>
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
  const left: Client[] = []
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
    takeTurns()
    if (owner) run()
  }

  function takeTurns() {
    for (const client of left.splice(0)) tidyAfter(client)
    owner = waiting.shift()
  }

  /** Settings, locks and statements of a client that left: the session lives on without them. */
  function tidyAfter({ statements }: Client) {
    for (const name of statements) silently(`DEALLOCATE "${name.replaceAll('"', '""')}"`)
    silently('CLOSE ALL; UNLISTEN *; RESET ALL; DISCARD TEMP; SELECT pg_advisory_unlock_all()')
  }

  function silently(query: string) {
    exchange(database, queryMessage(query), onFailure)
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
      takeTurns()
    }
  }

  function answer(client: Client, message: Uint8Array) {
    client.last = String.fromCharCode(message[0]!)
    if (client.last === 'P') remember(client, nameIn(message))
    const reply = exchange(database, message, onFailure)
    if (reply.length && client.socket.writable) client.socket.write(reply)
  }

  function remember(client: Client, name: string) {
    if (name) client.statements.add(name)
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
    left.push(client)
    if (owner && owner !== client) return
    clearTimeout(idle)
    if (owner) exchange(database, syncMessage, onFailure)
    if (database.isInTransaction()) silently('ROLLBACK')
    next()
  }

  const server = createServer(socket => {
    const client: Client = { socket, pending: [], last: '', statements: new Set() }
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

/** The statement's name in a Parse message; empty when it has none. */
function nameIn(message: Uint8Array): string {
  return Buffer.from(message.subarray(5, message.indexOf(0, 5))).toString()
}

function queryMessage(text: string): Uint8Array {
  const bytes = Buffer.byteLength(text)
  const message = Buffer.alloc(bytes + 6)
  message.write('Q')
  message.writeInt32BE(bytes + 5, 1)
  message.write(text, 5)
  return message
}
