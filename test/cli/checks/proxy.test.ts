import { afterAll, beforeAll, expect, test } from 'bun:test'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Check } from '../../../cli/checks/check.ts'
import { checkProxy } from '../../../cli/checks/proxy.ts'
import { judgeConfig } from '../../../server/config/partial.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { freePort } from '../../support/postgres.ts'
import { until } from '../../support/until.ts'

type Behave = (
  request: Request,
  pass: (changed?: Headers) => Promise<Response>,
) => Promise<Response> | Response

let app: TestApp
let address: string
let behave: Behave
let proxy: Bun.Server<undefined>
beforeAll(async () => {
  const port = await freePort()
  address = `http://127.0.0.1:${port}`
  app = await testApp({ env: { PUBLIC_URL: address } })
  proxy = Bun.serve({
    port,
    hostname: '127.0.0.1',
    fetch: request =>
      behave(request, async (headers = request.headers) => {
        const { pathname, search } = new URL(request.url)
        const { method } = request
        const body = await request.arrayBuffer()
        return fetch(app.origin + pathname + search, {
          ...{ method, headers, redirect: 'manual', decompress: false },
          body: method === 'POST' ? body : undefined,
        })
      }),
  })
})
afterAll(async () => {
  await proxy?.stop(true)
  await app?.stop()
})

/** Shorter than in earnest: what cuts slow requests here knows them by their parts. */
const SLOW_MS = 50

async function seen(
  behaviour: Behave,
  { at = address, env = {} }: { at?: string; env?: Record<string, string> } = {},
): Promise<Check[]> {
  behave = behaviour
  const checks: Check[] = []
  for await (const check of checkProxy(at, judgeConfig({ ...app.env, ...env }), SLOW_MS)) checks.push(check)
  return checks
}

const faithful: Behave = (_, pass) => pass()

/** The request with some headers as `change` makes them. */
const asking =
  (change: (headers: Headers) => void): Behave =>
  (request, pass) => {
    const headers = new Headers(request.headers)
    change(headers)
    return pass(headers)
  }

/** The answer with some headers as `change` makes them. */
const answering =
  (change: (headers: Headers) => void): Behave =>
  async (_, pass) => {
    const { body, status, headers } = await pass()
    const changed = new Headers(headers)
    change(changed)
    return new Response(body, { status, headers: changed })
  }

const shorterThan =
  (most: number): Behave =>
  (request, pass) =>
    Number(request.headers.get('content-length')) > most ? new Response('too large', { status: 413 }) : pass()

test('a proxy that hands everything on is sound, and nothing was stored', async () => {
  expect(await seen(faithful)).toMatchObject([{ name: 'proxy', status: 'ok' }])
  expect(await (await app.as('alice@example.com')('/api/defects')).json()).toEqual([])
})

const faults: [name: string, behaviour: Behave, status: Check['status'], said: RegExp][] = [
  ['answers by itself', () => new Response('hello'), 'fault', /not Faultline's answer/],
  [
    'gives the server another Host',
    asking(headers => headers.set('host', 'localhost')),
    'fault',
    /in a circle/,
  ],
  [
    'makes another Location of it',
    answering(headers => headers.has('location') && headers.set('location', 'http://inner:3000/login')),
    'fault',
    /leads to http:\/\/inner:3000/,
  ],
  [
    'keeps cookies to itself',
    asking(headers => headers.delete('cookie')),
    'fault',
    /does not reach the server/,
  ],
  [
    'changes cookies',
    answering(headers => headers.has('set-cookie') && headers.append('set-cookie', 'balancer=1')),
    'fault',
    /do not reach the browser/,
  ],
  [
    'changes Origin',
    asking(headers => headers.has('origin') && headers.set('origin', 'http://inner')),
    'fault',
    /from another site/,
  ],
  ['takes small bodies alone', shorterThan(32_768), 'fault', /64 KiB is answered 413/],
  ['says itself what is too large', shorterThan(65_536), 'warning', /more than 64 KiB is answered 413/],
  [
    'has no patience',
    (request, pass) =>
      request.headers.has('content-length') || request.method === 'GET'
        ? pass()
        : new Response('late', { status: 408 }),
    'fault',
    /that takes .* is answered 408/,
  ],
  ['takes ETag away', answering(headers => headers.delete('etag')), 'warning', /everything anew/],
  [
    'compresses',
    async (_, pass) => {
      const { body, status, headers } = await pass()
      if (!headers.get('content-type')?.includes('json')) return new Response(body, { status, headers })
      const packed = Bun.gzipSync(await new Response(body).arrayBuffer())
      return new Response(packed, {
        status,
        headers: { ...Object.fromEntries(headers), 'content-encoding': 'gzip' },
      })
    },
    'warning',
    /compresses/,
  ],
]
test.each(faults)('a proxy that %s is told, with the mend', async (_, behaviour, status, said) => {
  const checks = await seen(behaviour)
  expect(checks).toEqual([
    { name: 'proxy', status, said: expect.stringMatching(said), mend: expect.any(String) },
  ])
})

test('who comes by another name than PUBLIC_URL is warned', async () => {
  const at = address.replace('127.0.0.1', 'localhost')
  expect(await seen(faithful, { at })).toMatchObject([
    { status: 'warning', said: expect.stringContaining('is not PUBLIC_URL') },
  ])
})

test('HSTS that is missing, or comes twice, is told', async () => {
  const env = { PUBLIC_URL: 'https://faultline.example.com' }
  const said = async (behaviour: Behave) =>
    (await seen(behaviour, { env })).map(check => check.said).join('\n')
  expect(await said(faithful)).toContain('not told to come by https')
  const doubled = answering(headers => headers.set('strict-transport-security', 'max-age=1, max-age=2'))
  expect(await said(doubled)).toContain('comes twice')
})

test('who is not there is told', async () => {
  expect(await seen(faithful, { at: 'http://127.0.0.1:1' })).toMatchObject([
    { status: 'fault', said: expect.stringContaining('cannot be reached') },
  ])
})

test('settings that need mending leave the proxy for later', async () => {
  expect(await seen(faithful, { env: { SESSION_PASSWORD: 'short' } })).toMatchObject([{ status: 'skipped' }])
})

const nginx = Bun.which('nginx', { PATH: `${process.env.PATH}:/usr/sbin` })

test.skipIf(!nginx)(
  'nginx is sound as `docs/operations` has it, and found out when it is not (needs nginx)',
  async () => {
    const said = async (settings: string) => {
      const server = await startNginx(settings)
      const checks = await seen(faithful, { at: server.address, env: { PUBLIC_URL: address } })
      await server.remove()
      // It stands at another port than PUBLIC_URL here.
      return checks.map(check => check.said).filter(text => !text.includes('is not PUBLIC_URL'))
    }
    expect(
      await said(
        'client_max_body_size 1m; location / { proxy_pass http://faultline; proxy_http_version 1.1; proxy_set_header Host $host; proxy_set_header Connection ""; }',
      ),
    ).toEqual([])
    expect(
      await said(
        'client_max_body_size 32k; location / { proxy_pass http://faultline; proxy_set_header Cookie ""; proxy_set_header Host other; }',
      ),
    ).toEqual([
      expect.stringContaining('does not reach the server'),
      expect.stringContaining('64 KiB is answered 413'),
    ])
  },
)

async function startNginx(settings: string) {
  const home = mkdtempSync('/tmp/faultline-nginx-')
  chmodSync(home, 0o777)
  const port = await freePort()
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    name => `${name}_temp_path ${home}/${name};`,
  )
  writeFileSync(
    join(home, 'nginx.conf'),
    `daemon off; master_process off; pid ${home}/pid; error_log ${home}/error.log;
    events {} http { access_log off; ${places.join(' ')}
    upstream faultline { server ${new URL(app.origin).host}; }
    server { listen 127.0.0.1:${port}; ${settings} } }`,
  )
  const server = Bun.spawn([nginx!, '-c', join(home, 'nginx.conf')], { stdout: 'ignore', stderr: 'ignore' })
  const at = `http://127.0.0.1:${port}`
  await until(async () => (await fetch(at).catch(() => undefined)) !== undefined, 'nginx answers')
  return {
    address: at,
    async remove() {
      server.kill()
      await server.exited
      rmSync(home, { recursive: true, force: true })
    },
  }
}
