import { afterAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { faultline, going, home } from '../support/cli.ts'
import { monotonicMicroseconds, receiver } from '../support/datagrams.ts'
import { freePort } from '../support/postgres.ts'
import { until } from '../support/until.ts'

const place = home()
afterAll(() => place.remove())

const sound = {
  DATA_DIR: place.file('data'),
  ALLOWED_DOMAIN: 'example.com',
  OWNER_EMAIL: 'owner@example.com',
  SESSION_PASSWORD: 'a test password of enough different characters',
  OAUTH_CLIENT_ID: 'faultline',
  OAUTH_CLIENT_SECRET: 'secret',
  LOG_LEVEL: 'warn',
}
async function serve(NOTIFY_SOCKET: string, more: Record<string, string> = {}) {
  const port = String(await freePort())
  const env = { ...sound, PORT: port, PUBLIC_URL: `http://127.0.0.1:${port}`, NOTIFY_SOCKET, ...more }
  return going(['serve'], { env })
}

test('the service manager is told what a server waits for, that it is ready, reloads, lives and stops', async () => {
  const manager = receiver(place.file('notify'))
  const server = await serve(manager.path, { DRAIN_SECONDS: '300', WATCHDOG_USEC: '20000' })
  await manager.hears(/^READY=1$/m)
  const [first = '', second = ''] = manager.take()
  expect(first).toBe('STATUS=waiting for the database')
  expect(second).toMatch(/^READY=1\nSTATUS=ready at http:\/\/127\.0\.0\.1:\d+$/)

  const beats = () => manager.take().filter(message => message === 'WATCHDOG=1').length
  await until(() => beats() > 2, 'it says again and again that it lives')

  const before = monotonicMicroseconds()
  process.kill(server.pid, 'SIGHUP')
  await manager.hears(/^RELOADING=1\nMONOTONIC_USEC=\d+$/)
  const told = manager.take()
  const reloading = told.findIndex(message => message.startsWith('RELOADING'))
  expect(Number(/USEC=(\d+)/.exec(told[reloading]!)?.[1])).toBeGreaterThan(before)
  expect(Number(/USEC=(\d+)/.exec(told[reloading]!)?.[1])).toBeLessThanOrEqual(monotonicMicroseconds())
  await until(() => manager.take().findLastIndex(message => message.startsWith('READY')) > reloading, 'ready')

  process.kill(server.pid, 'SIGTERM')
  await manager.hears(/^STOPPING=1\nSTATUS=draining for 300 s$/)
  expect(await server.signal('SIGTERM')).toBe(0)
  expect(manager.take().findLast(message => !message.startsWith('WATCHDOG'))).toBe(
    'STOPPING=1\nSTATUS=stopping',
  )
  manager.close()
})

test('it is told on a socket that is a name and no file; readiness waits for the database', async () => {
  const manager = receiver(`@faultline-test-${process.pid}`)
  const server = await serve(manager.path, { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' })
  await manager.hears(/^STATUS=waiting for the database$/)
  await server.says(/waiting for the database/)
  expect(await server.signal('SIGTERM')).toBe(0)
  expect(manager.take()).toEqual(['STATUS=waiting for the database', 'STOPPING=1\nSTATUS=stopping'])
  manager.close()
})

test('a server that is told to stop while it still waits for its directory stops in order', async () => {
  const manager = receiver(place.file('early'))
  const DATA_DIR = place.file('held')
  const holder = Bun.spawn([process.execPath, join(import.meta.dir, '../support/holder.ts'), DATA_DIR], {
    stdout: 'pipe',
  })
  await holder.stdout.getReader().read()
  const server = await serve(manager.path, { DATA_DIR, DRAIN_SECONDS: '300' })
  await manager.hears(/^STATUS=waiting for the database$/)
  const stopped = server.signal('SIGTERM')
  holder.kill('SIGKILL')
  expect(await stopped).toBe(0)
  manager.close()
})

test('a service manager that has gone is a warning, and the server serves', async () => {
  const server = await serve(place.file('nobody'), { LOG_LEVEL: 'info' })
  await server.says(/the service manager could not be told/)
  await server.says(/ ready /)
  expect(await server.signal('SIGTERM')).toBe(0)
})

const analyze = Bun.which('systemd-analyze')
test.skipIf(!analyze)('the unit leaves the service little (needs systemd-analyze)', async () => {
  const { out } = await faultline(['systemd'])
  const unit = place.file('faultline.service')
  await Bun.write(unit, out)
  const judged = Bun.spawn([analyze!, 'security', '--offline=true', '--threshold=20', unit], {
    stdout: 'pipe',
  })
  const table = await new Response(judged.stdout).text()
  expect([await judged.exited, table.split('\n').at(-2)]).toEqual([0, expect.stringContaining('OK')])
})
