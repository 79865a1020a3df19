import { afterAll, expect, test } from 'bun:test'
import { createServer } from 'node:net'
import { executable, faultline, home } from '../support/cli.ts'
import { healthy } from '../support/health.ts'
import { freePort } from '../support/postgres.ts'

const place = home()
afterAll(() => place.remove())

const sound = {
  PUBLIC_URL: 'http://localhost:3000',
  DATA_DIR: place.file('data'),
  ALLOWED_DOMAIN: 'example.com',
  OWNER_EMAIL: 'owner@example.com',
  SESSION_PASSWORD: 'a test password of enough different characters',
  OAUTH_CLIENT_ID: 'faultline',
  OAUTH_CLIENT_SECRET: 'secret',
}

test.each(['no.such.host.invalid', '192.0.2.1'])('HOST=%s is a fault of HOST, with its mend', async HOST => {
  const { status, err } = await faultline(['serve'], { env: { ...sound, HOST, LOG_LEVEL: 'error' } })
  expect({ status, err }).toEqual({
    status: 2,
    err: expect.stringMatching(
      /^faultline: HOST: is no address of this machine \(E\w+\); set it to an address of this machine.*\n$/,
    ),
  })
})

test('a busy port is a fault that names PORT, and few open files are warned of', async () => {
  const occupied = createServer()
  await new Promise<void>(resolve => occupied.listen(0, '127.0.0.1', resolve))
  const { port } = occupied.address() as { port: number }
  const env = { ...sound, PORT: String(port), LOG_FORMAT: 'json', LOG_LEVEL: 'warn' }
  const child = Bun.spawn(['sh', '-c', 'ulimit -n 256; exec "$0" serve', executable], { env, stderr: 'pipe' })
  const said = (await new Response(child.stderr).text()).trim().split('\n')
  occupied.close()
  expect([await child.exited, said.at(-1)]).toEqual([
    1,
    `faultline: port ${port} is in use; set PORT to another one`,
  ])
  expect(said[0]).toMatch(/"level":"warn","message":"at most 256 files .*"mend":"raise it/)
})

/** What a server writes until it is healthy and was stopped: on a terminal, or into a pipe. */
async function written(env: Record<string, string>, args: string[], where: 'terminal' | 'pipe') {
  const port = await freePort()
  const decoder = new TextDecoder()
  let screen = ''
  const terminal = {
    cols: 200,
    rows: 40,
    data(_: unknown, data: Uint8Array) {
      screen += decoder.decode(data)
    },
  }
  const child = Bun.spawn([executable, 'serve', ...args], {
    env: { ...sound, TERM: 'xterm-256color', PORT: String(port), LOG_FORMAT: 'pretty', ...env },
    ...(where === 'terminal' ? { terminal } : { stderr: 'pipe' }),
  })
  await healthy(`http://127.0.0.1:${port}`)
  child.kill('SIGTERM')
  await child.exited
  child.terminal?.close()
  const text = where === 'terminal' ? screen : await new Response(child.stderr as ReadableStream).text()
  expect(text).toContain('http://localhost:3000')
  return text
}

test('a readable log is coloured on a terminal', async () => {
  expect(await written({}, [], 'terminal')).toContain('\x1b[')
})

test.each([
  ['with NO_COLOR', { NO_COLOR: '1' }, [], 'terminal'],
  ['with TERM=dumb', { TERM: 'dumb' }, [], 'terminal'],
  ['with --no-color', {}, ['--no-color'], 'terminal'],
  ['in a pipe', {}, [], 'pipe'],
] as [string, Record<string, string>, string[], 'terminal' | 'pipe'][])(
  'but not %s',
  async (_, env, args, where) => {
    expect(await written(env, args, where)).not.toContain('\x1b')
  },
)
