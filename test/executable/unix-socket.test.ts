import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, statSync, writeFileSync } from 'node:fs'
import { faultline, going, home, toldHealthy } from '../support/cli.ts'
import { isHealthy } from '../support/health.ts'
import { until } from '../support/until.ts'

const place = home()
const path = place.file('http.sock')
const env = {
  PUBLIC_URL: 'https://faultline.example.com',
  HOST: `unix:${path}`,
  PORT: '1',
  DATA_DIR: place.file('data'),
  ALLOWED_DOMAIN: 'example.com',
  OWNER_EMAIL: 'owner@example.com',
  SESSION_PASSWORD: 'a test password of enough different characters',
  OAUTH_CLIENT_ID: 'faultline',
  OAUTH_CLIENT_SECRET: 'secret',
  LOG_LEVEL: 'error',
}
const ask = (target: string) =>
  fetch(`http://faultline.example.com${target}`, { unix: path, redirect: 'manual' })
const healthcheck = (...args: string[]) => faultline(['healthcheck', ...args], { env })

let server: ReturnType<typeof going>
async function start() {
  server = going(['serve'], { env })
  await until(() => isHealthy('http://localhost', path), 'it is healthy on its socket')
}
beforeAll(start)
afterAll(async () => {
  await server.signal('SIGTERM')
  place.remove()
})

test('a server answers on its socket for its group alone, by the rules of PUBLIC_URL', async () => {
  expect(statSync(path).mode & 0o777).toBe(0o660)
  const page = await ask('/')
  expect([page.status, page.headers.get('location')]).toEqual([302, '/login'])
  expect(page.headers.get('strict-transport-security')).toBeTruthy()
  expect((await ask('/api/defects')).status).toBe(401)
})

test('the health check asks it, and says when nobody answers', async () => {
  for (const args of [['healthcheck'], ['healthcheck', '--ready']]) {
    expect((await toldHealthy(args, { env })).out).toBe('ok\n')
  }
  const HOST = `unix:${place.file('none.sock')}`
  expect(await faultline(['healthcheck'], { env: { HOST } })).toMatchObject({
    status: 1,
    err: `faultline: nobody answers at ${place.file('none.sock')}\n`,
  })
})

test('a socket that a server answers on is left alone: exit status 1 and one line', async () => {
  const second = await faultline(['serve'], { env: { ...env, DATA_DIR: place.file('other') } })
  expect(second).toEqual({
    status: 1,
    out: '',
    err: `faultline: a server answers at ${path} already; set HOST to another path\n`,
  })
  expect(await healthcheck()).toMatchObject({ status: 0 })
})

test.each([
  ['a file', 'file', /file cannot be used because it is no socket; move it away/],
  ['a folder that is not there', 'none/http.sock', /http\.sock cannot be used .*its folder is not there/],
])('%s in the place of the socket is told, and left as it is', async (_, name, said) => {
  writeFileSync(place.file('file'), 'kept')
  const HOST = `unix:${place.file(name)}`
  const { status, err } = await faultline(['serve'], { env: { ...env, HOST, DATA_DIR: place.file('other') } })
  expect({ status, err }).toEqual({ status: 1, err: expect.stringMatching(said) })
  expect(await Bun.file(place.file('file')).text()).toBe('kept')
})

test('what a killed server left is replaced; one that stops leaves nothing', async () => {
  await server.signal('SIGKILL')
  expect(existsSync(path)).toBe(true)
  await start()
  expect(await server.signal('SIGTERM')).toBe(0)
  expect(existsSync(path)).toBe(false)
  await start()
})
