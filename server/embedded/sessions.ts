import { chmodSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import type { Backend } from './backend.ts'
import { createFrames, fatal, query, startup, statementName, sync } from './frames.ts'

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
const MAX_CLIENTS = 100

export async function serveSessions(
  backend: Backend,
  socketPath: string,
  onFailure: (error: unknown) => void,
) {
  const clients = new Set<Client>()
  const waiting: Client[] = []
  const departed: Client[] = []
  const greeting = await backend.run([startup])
  let owner: Client | undefined
  let idle: Timer | undefined
  let working: Promise<void> | undefined
  let idleTask: (() => Promise<void>) | undefined

  function receive(client: Client, messages: Uint8Array[]) {
    client.pending.push(...messages)
    if (owner !== client && !waiting.includes(client)) waiting.push(client)
    work()
  }

  function work() {
    working ??= runAll().then(() => {
      working = undefined
    }, failed)
    return working
  }

  /** Nobody shall wait for an answer that cannot come; `working` stays, so nothing is begun any more. */
  function failed(error: unknown) {
    onFailure(error)
    for (const client of clients) client.socket.destroy()
    server.close()
  }

  async function runAll() {
    while (await step()) {}
  }

  /** One turn, or part of one. False when nothing can be done before somebody sends more. */
  async function step(): Promise<boolean> {
    if (owner && !clients.has(owner)) await rollback()
    else if (owner?.pending.length) await answer(owner)
    else if (owner && !isFree(owner)) return waitFor(owner)
    else if (departed.length) await resetAfter(departed.shift()!)
    else if (waiting.length) owner = waiting.shift()
    else if (idleTask) await runIdleTask(idleTask)
    else return false
    return true
  }

  async function answer(client: Client) {
    stopWaiting()
    const messages = client.pending.splice(0)
    for (const message of messages) {
      const name = statementName(message)
      if (name) client.statements.add(name)
    }
    client.last = String.fromCharCode(messages.at(-1)![0]!)
    const reply = await backend.run(messages)
    if (client.socket.writable) client.socket.write(reply)
    if (isFree(client)) owner = undefined
  }

  /** Ready for anybody: the client's last word asked for an end, and no transaction is open. */
  function isFree(client: Client): boolean {
    return /[QSF]/.test(client.last) && !backend.inTransaction()
  }

  function waitFor(client: Client): false {
    idle ??= setTimeout(
      () => drop(client, fatal('25P03', 'idle in a transaction for too long')),
      IDLE_IN_TRANSACTION_MS,
    )
    return false
  }

  function stopWaiting() {
    clearTimeout(idle)
    idle = undefined
  }

  async function rollback() {
    stopWaiting()
    await backend.run([sync])
    if (backend.inTransaction()) await backend.run([query('ROLLBACK')])
    owner = undefined
  }

  /** Settings, locks and statements of a client that left: the session lives on without them. */
  async function resetAfter({ statements }: Client) {
    const names = [...statements].map(name => query(`DEALLOCATE "${name.replaceAll('"', '""')}"`))
    const settings = 'CLOSE ALL; UNLISTEN *; RESET ALL; DISCARD TEMP; SELECT pg_advisory_unlock_all()'
    await backend.run([...names, query(settings)])
  }

  async function runIdleTask(due: () => Promise<void>) {
    idleTask = undefined
    await due()
  }

  function drop(client: Client, message: Buffer) {
    client.socket.end(message, () => client.socket.destroy())
    remove(client)
  }

  /** What it left open or behind goes with it. */
  function remove(client: Client) {
    if (!clients.delete(client)) return
    const place = waiting.indexOf(client)
    if (place >= 0) waiting.splice(place, 1)
    if (client.last) departed.push(client)
    work()
  }

  function accept(socket: Socket) {
    const client: Client = { socket, pending: [], last: '', statements: new Set() }
    socket.on('error', () => socket.destroy())
    if (clients.size >= MAX_CLIENTS) return socket.end(fatal('53300', 'too many clients already'))
    const frames = createFrames(socket, greeting)
    clients.add(client)
    socket.on('data', (chunk: Buffer) => {
      const messages = frames(chunk)
      if (messages === 'hang up') socket.destroy()
      else if (messages.length) receive(client, messages)
    })
    socket.on('close', () => remove(client))
  }

  const server = createServer(accept)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(socketPath, resolve)
  })
  chmodSync(socketPath, 0o600)

  return {
    /** Maintenance, run when nobody waits; a later one takes the place of one not yet done. */
    runWhenIdle(due: () => Promise<void>): void {
      idleTask = due
      work()
    },
    async close(): Promise<void> {
      server.close()
      for (const client of clients) drop(client, fatal('57P01', 'the database is shutting down'))
      await work()
    },
  }
}
