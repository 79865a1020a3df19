import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, statSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { networkInterfaces } from 'node:os'
import { faultline, type Going, going, home, sections, toldHealthy } from '../support/cli.ts'
import { freePort } from '../support/postgres.ts'

const place = home()
let port: number
let occupied: Server
let demo: Going
let url: string

const begin = async () => {
  demo = going(['demo'], { cwd: place.path, env: { PORT: String(port) } })
  url = /http:\S+/.exec(await demo.says(/Faultline is at/))![0]
}
const here = (...args: string[]) => faultline(args, { cwd: place.path })
const total = async () => {
  const { out, ...ended } = await here('counts', '--json')
  expect(ended).toEqual({ status: 0, err: '' })
  const counted: Record<string, number> = JSON.parse(out)
  return { sum: Object.values(counted).reduce((a, b) => a + b, 0), sections: Object.keys(counted) }
}

/** Through the provider's page, as a browser would go: a session cookie, or why not. */
async function signIn(person: string): Promise<Response> {
  const jar = new Map<string, string>()
  const keep = (response: Response) => {
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      jar.set(name, value)
    }
    return response
  }
  const cookie = () => [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
  const to = (response: Response, base: string) => new URL(response.headers.get('location') ?? '', base)
  const started = keep(await fetch(`${url}/auth/demo`, { redirect: 'manual' }))
  const page = await (await fetch(to(started, url))).text()
  const link = [...page.matchAll(/href="([^"]+)"/g)]
    .map(([, href]) => href!.replaceAll('&amp;', '&'))
    .find(href => href.includes(`person=${person}`))!
  const back = await fetch(new URL(link, to(started, url)), { redirect: 'manual' })
  const ended = keep(await fetch(to(back, url), { redirect: 'manual', headers: { cookie: cookie() } }))
  if (ended.status !== 302) return ended
  return fetch(`${url}/api/session`, { headers: { cookie: cookie() } })
}

describe('the demo', () => {
  beforeAll(async () => {
    port = await freePort()
    occupied = createServer().listen(port, '127.0.0.1')
    await begin()
  })
  afterAll(async () => {
    await demo.signal('SIGKILL')
    occupied.close()
    place.remove()
  })

  test('needs nothing and takes the next free port', () => {
    expect(Number(new URL(url).port)).toBeGreaterThan(port)
    expect(demo.err).toEqual([])
  })

  test('has a past that looks like one', async () => {
    const { sum, sections: counted } = await total()
    expect(sum).toBe(180)
    expect(counted).toEqual(sections())
    const feed = JSON.parse((await here('feed', '-n', '500', '--json')).out) as {
      created_at: string
      project_id: string
      reporter: string
    }[]
    expect(new Set(feed.map(entry => entry.project_id)).size).toBeGreaterThan(3)
    expect(new Set(feed.map(entry => entry.reporter)).size).toBe(2)
    const days = (Date.now() - Date.parse(feed.at(-1)!.created_at)) / 86_400_000
    expect(days).toBeGreaterThan(20)
    expect(days).toBeLessThan(61)
    expect(Date.parse(feed[0]!.created_at)).toBeLessThan(Date.now())
  })

  test('lets the owner and the colleague in and turns the outsider away', async () => {
    expect(await (await signIn('owner')).json()).toMatchObject({
      user: { email: 'owner@example.com', is_owner: true },
    })
    expect(await (await signIn('colleague')).json()).toMatchObject({ user: { is_owner: false } })
    expect((await signIn('outsider')).status).toBe(403)
  })

  test('listens on loopback alone', async () => {
    const others = Object.values(networkInterfaces()).flatMap(list =>
      (list ?? []).filter(({ internal, family }) => !internal && family === 'IPv4'),
    )
    for (const { address } of others) {
      const reached = await fetch(`http://${address}:${new URL(url).port}/api/health`).catch(() => undefined)
      expect(reached).toBeUndefined()
    }
  })

  test('lends its settings to commands in the same directory', async () => {
    await toldHealthy(['healthcheck', '--ready'], { cwd: place.path })
    expect((await here('push', 'status')).status).toBe(5)
    const { out } = await here('doctor', '--json')
    const checks = JSON.parse(out).checks as { name: string; status: string }[]
    for (const name of ['settings', 'database', 'schema', 'board', 'sign-in', 'push keys']) {
      expect(checks.find(check => check.name === name)).toMatchObject({ status: 'ok' })
    }
  })

  test('but not to a server of its own, which has to be configured', async () => {
    const { status, err } = await here('serve')
    expect(status).toBe(2)
    expect(err).toContain('PUBLIC_URL')
  })

  test('is not started twice on one directory', async () => {
    const { status, err } = await here('demo')
    expect(status).toBe(1)
    expect(err).toContain(`a demo is running on this directory already, at ${url}`)
  })

  test('keeps its secrets to its user, and its sessions and data over a restart', async () => {
    const keys = place.file('faultline-data/demo-keys.json')
    for (const name of [keys, place.file('faultline-data/demo-settings.json')])
      expect(statSync(name).mode & 0o777).toBe(0o600)
    expect(statSync(place.file('faultline-data')).mode & 0o777).toBe(0o700)
    const before = await Bun.file(keys).text()
    expect(await demo.signal('SIGINT')).toBe(0)
    expect(existsSync(place.file('faultline-data/demo-settings.json'))).toBe(false)
    const stopped = { cwd: place.path, env: { PORT: new URL(url).port } }
    expect((await faultline(['healthcheck'], stopped)).status).toBe(1)
    expect((await total()).sum).toBe(180)

    await begin()
    expect(await Bun.file(keys).text()).toBe(before)
    expect((await total()).sum).toBe(180)
  })
})
