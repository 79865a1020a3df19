import { afterAll, beforeAll, expect, test } from 'bun:test'
import { faultline } from '../support/cli.ts'
import { freshDatabase } from '../support/postgres.ts'
import { raw, refusesConnections, statusOf } from '../support/raw.ts'
import { type Server, startServer } from '../support/server.ts'
import { until } from '../support/until.ts'

/** Only the server ends a connection. */
const NEVER_MS = 60_000

let database: Awaited<ReturnType<typeof freshDatabase>>
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.drop())

async function started(seconds: string): Promise<Server> {
  const server = await startServer({ DATABASE_URL: database.url, DRAIN_SECONDS: seconds })
  await server.healthy()
  return server
}

const isDraining = ({ send }: Server) =>
  until(async () => (await send('/api/health')).status === 503, 'health says that it goes')

test('a server that goes says so to balancers, serves everything else, and lets each client go with its answer', async () => {
  const server = await started('300')
  expect((await server.send('/api/defects')).headers.get('connection')).not.toBe('close')
  server.process.kill('SIGTERM')
  await isDraining(server)
  expect(await (await server.send('/api/health')).json()).toEqual({ status: 'draining', database: 'unasked' })
  for (const path of ['/api/health?live', '/api/defects', '/', '/favicon.ico', '/api/nonsense']) {
    const { status, headers } = await server.send(path)
    expect([path, status]).toEqual([path, path === '/api/nonsense' ? 404 : 200])
    expect(headers.get('connection')).toBe('close')
  }
  const { host } = new URL(server.origin)
  const keptOpen = await raw(server.origin, `GET /login HTTP/1.1\r\nHost: ${host}\r\n\r\n`, {
    waitMs: NEVER_MS,
  })
  expect(statusOf(keptOpen)).toBe(200)
  const { status, err } = await faultline(['healthcheck', '--ready'], { env: server.env })
  expect([status, err]).toEqual([1, 'faultline: the server is up; it was told to stop\n'])
  expect(await refusesConnections(server.origin)).toBe(false)

  server.process.kill('SIGTERM')
  expect(await server.process.exited).toBe(0)
})

test('the time over, it ends by itself, with 0', async () => {
  const server = await started('1')
  server.process.kill('SIGTERM')
  expect(await server.process.exited).toBe(0)
})

test('who interrupts it by hand waits for nobody', async () => {
  const server = await started('300')
  server.process.kill('SIGINT')
  expect(await server.process.exited).toBe(0)
})
