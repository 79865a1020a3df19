import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createServer, type Server, type Socket } from 'node:net'
import { OutboundFault, type OutboundRequest, request } from '../server/outbound.ts'

const open = new Set<Socket>()
let silent: Server
let silentPort: number
let peer: ReturnType<typeof startPeer>

function startPeer() {
  return Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    routes: {
      '/redirect': new Response(null, { status: 302, headers: { location: '/followed' } }),
      '/followed': () => {
        throw new Error('nobody may follow')
      },
      '/echo': async req => Response.json({ method: req.method, body: await req.text() }, { status: 418 }),
      '/endless': () =>
        new Response(new ReadableStream({ pull: stream => stream.enqueue(new Uint8Array(65_536)) })),
      '/drip': () =>
        new Response(
          new ReadableStream({
            async pull(stream) {
              await Bun.sleep(20)
              stream.enqueue(new Uint8Array(1))
            },
          }),
        ),
    },
  })
}

beforeAll(async () => {
  peer = startPeer()
  silent = createServer(socket => {
    open.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => open.delete(socket))
  })
  await new Promise<void>(resolve => silent.listen(0, '127.0.0.1', resolve))
  silentPort = (silent.address() as { port: number }).port
})

afterAll(async () => {
  for (const socket of open) socket.destroy()
  silent.close()
  await peer.stop(true)
})

const call = (address: string, options: Partial<OutboundRequest> = {}) =>
  request(address, { allow: () => true, deadlineMs: 5_000, maxBytes: 1_000, ...options })

const faultOf = (answer: Promise<unknown>) =>
  answer.then(
    () => 'none',
    error => (error instanceof OutboundFault ? error.reason : error),
  )

describe('the one way out', () => {
  test('gives status and body as they came', async () => {
    const answer = await call(`${peer.url}echo`, { method: 'POST', body: 'a=1' })
    expect(answer.status).toBe(418)
    expect(JSON.parse(new TextDecoder().decode(answer.body))).toEqual({ method: 'POST', body: 'a=1' })
    expect(answer.complete).toBe(true)
  })

  test('follows no redirect', async () => {
    expect((await call(`${peer.url}redirect`)).status).toBe(302)
  })

  test('reads no more than it was told to, and says so', async () => {
    const answer = await call(`${peer.url}endless`)
    expect(answer.body.byteLength).toBe(1_000)
    expect(answer.complete).toBe(false)
  })

  test.each([
    ['a server that accepts and is silent', () => `http://127.0.0.1:${silentPort}/`],
    ['a TLS handshake that stalls', () => `https://127.0.0.1:${silentPort}/`],
    ['a body that drips', () => `${peer.url}drip`],
  ])('%s ends at the deadline', async (_, address) => {
    expect(await faultOf(call(address(), { deadlineMs: 150 }))).toBe('timed_out')
  })

  test('gives up when told to', async () => {
    const stop = new AbortController()
    const answer = call(`http://127.0.0.1:${silentPort}/`, { signal: stop.signal })
    stop.abort()
    expect(await faultOf(answer)).toBe('aborted')
  })

  test.each(['http://127.0.0.1:1/', 'http://nobody.invalid/'])('%s cannot be reached', async address => {
    expect(await faultOf(call(address))).toBe('unreachable')
  })

  test.each(['file:///etc/hostname', 'data:,x', 'not a url', 'http://user:secret@127.0.0.1/'])(
    '%s may not be called',
    async address => {
      expect(await faultOf(call(address))).toBe('not_allowed')
    },
  )

  test('who allows is asked about the URL as it is dialled', async () => {
    const hosts: string[] = []
    const allow = (url: URL) => {
      hosts.push(url.host)
      return false
    }
    expect(await faultOf(call('HTTPS://EVIL.test;@good.example\\@evil.test/', { allow }))).toBe('not_allowed')
    expect(await faultOf(call('https://EVIL.test:443/x', { allow }))).toBe('not_allowed')
    expect(hosts).toEqual(['evil.test'])
  })
})
