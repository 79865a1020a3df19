import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { freePort, freshDatabase } from '../support/postgres.ts'
import { type Server, startServer } from '../support/server.ts'
import { until } from '../support/until.ts'

const HANDS_ON = '/proc/sys/net/ipv4/tcp_migrate_req'
const canHandOn = keepsWriting(HANDS_ON)

let database: Awaited<ReturnType<typeof freshDatabase>>
let before: string
beforeAll(async () => {
  database = await freshDatabase()
  if (!canHandOn) return
  before = readFileSync(HANDS_ON, 'utf8')
  writeFileSync(HANDS_ON, '1')
})
afterAll(async () => {
  if (canHandOn) writeFileSync(HANDS_ON, before)
  await database.drop()
})

function keepsWriting(path: string): boolean {
  try {
    writeFileSync(path, readFileSync(path, 'utf8'))
    return true
  } catch {
    return false
  }
}

const startOn = (PORT: string) =>
  startServer({ DATABASE_URL: database.url, PORT, REUSE_PORT: 'true', DRAIN_SECONDS: '300' })

/** Asks again and again until it is stopped; what did not succeed is kept. */
function client(port: string, agent: Agent) {
  const self = { asked: 0, failed: [] as string[], stop }
  let going = true
  const ended = (async () => {
    while (going) {
      const outcome = await ask(port, agent)
      self.asked++
      if (outcome !== 200) self.failed.push(String(outcome))
    }
  })()
  async function stop() {
    going = false
    await ended
    agent.destroy()
    return self.failed
  }
  return self
}

function ask(port: string, agent: Agent): Promise<number | string | undefined> {
  return new Promise(resolve => {
    const request = get({ host: '127.0.0.1', port, path: '/api/session', agent }, response => {
      response.resume().on('end', () => resolve(response.statusCode))
    })
    request.on('error', error => resolve((error as { code?: string }).code ?? error.message))
  })
}

/** Its own listener is one of the port's. */
const listens = ({ process }: Server, port: string) =>
  until(async () => {
    if (process.exitCode !== null) throw new Error('the server ended')
    const open = `/proc/${process.pid}/fd`
    const inodes = inodesListening(port)
    return readdirSync(open).some(fd => inodes.has(linkOf(`${open}/${fd}`)))
  }, 'it listens')

function inodesListening(port: string): Set<string> {
  const local = `:${Number(port).toString(16).toUpperCase().padStart(4, '0')}`
  const sockets = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map(line => line.trim().split(/\s+/))
    .filter(fields => fields[1]?.endsWith(local) && fields[3] === LISTENS)
  return new Set(sockets.map(fields => `socket:[${fields[9]}]`))
}
const LISTENS = '0A'

/** Of a file that may be closed by now. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

test.skipIf(!canHandOn)(
  'two servers share a port: both answer, one goes, and no request fails (needs root)',
  async () => {
    const port = String(await freePort())
    const [going, staying] = await Promise.all([startOn(port), startOn(port)])
    await Promise.all([going, staying].map(server => listens(server, port)))

    const clients = Array.from({ length: 6 }, (_, i) =>
      client(port, new Agent({ keepAlive: i % 2 === 0, maxSockets: 1 })),
    )
    const moreFromEach = async () => {
      const marks = clients.map(({ asked }) => asked)
      await until(() => clients.every(({ asked }, i) => asked > marks[i]! + 2), 'every client is served')
    }
    await moreFromEach()

    going.process.kill('SIGTERM')
    const fresh = () => fetch(`${going.origin}/api/health`, { keepalive: false })
    await until(async () => (await fresh()).status === 503, 'one of them says that it goes')
    await until(async () => (await fresh()).status === 200, 'the other one does not')
    await moreFromEach()
    going.process.kill('SIGTERM')
    expect(await going.process.exited).toBe(0)
    await moreFromEach()

    expect((await Promise.all(clients.map(({ stop }) => stop()))).flat()).toEqual([])
    staying.process.kill('SIGINT')
    expect(await staying.process.exited).toBe(0)
  },
  60_000,
)
