import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../support/postgres.ts'
import { until } from '../support/until.ts'

/** Debian's packages, each by the program that it brings. */
export const PROGRAMS = {
  haproxy: '/usr/sbin/haproxy',
  'nginx-light': '/usr/sbin/nginx',
  caddy: '/usr/bin/caddy',
}

interface Kind {
  program: string
  /** the block of `docs/operations/balancers.md`, by its language */
  block: string
  complete(block: string, home: string): string
  command(file: string, home: string): string[]
}

const haproxy = {
  program: PROGRAMS.haproxy,
  complete: (block: string) => block,
  command: (file: string) => ['-f', file],
}

export const kinds: Record<string, Kind> = {
  'HAProxy, HTTP': { ...haproxy, block: 'haproxy' },
  'HAProxy, TCP': { ...haproxy, block: 'haproxy-tcp' },
  nginx: {
    program: PROGRAMS['nginx-light'],
    block: 'nginx',
    complete: (block, home) => `daemon off; pid ${home}/pid; error_log /dev/null;
events {}
http { access_log off; client_body_temp_path ${home}/body; proxy_temp_path ${home}/proxy;
fastcgi_temp_path ${home}/fcgi; uwsgi_temp_path ${home}/uwsgi; scgi_temp_path ${home}/scgi;
${block} }`,
    command: (file, home) => ['-c', file, '-p', home],
  },
  Caddy: {
    program: PROGRAMS.caddy,
    block: 'caddy',
    complete: block => `{\n  admin off\n  auto_https off\n}\n${block}`,
    command: file => ['run', '--adapter', 'caddyfile', '--config', file],
  },
}

/** The balancer as the document writes it, with the ports of this run. */
export async function startBalancer({ program, block, complete, command }: Kind, ports: string[]) {
  const home = mkdtempSync('/tmp/faultline-balancer-')
  const port = await freePort()
  const text = documented(block).replaceAll(':8080', `:${port}`).replace('listen 8080', `listen ${port}`)
  const own = ports.reduce((done, own, i) => done.replace(`10.0.0.${i + 1}:3000`, `127.0.0.1:${own}`), text)
  const file = join(home, 'configuration')
  writeFileSync(file, complete(own, home))
  const server = Bun.spawn([program, ...command(file, home)], {
    env: { HOME: home, PATH: '/usr/sbin:/usr/bin:/bin' },
    stdout: 'ignore',
    stderr: 'ignore',
  })
  const origin = `http://127.0.0.1:${port}`
  await until(async () => {
    if (server.exitCode !== null) throw new Error(`${program} ended with ${server.exitCode}`)
    return (await fetch(`${origin}/api/health`).catch(() => undefined))?.status === 200
  }, `${program} answers`)
  return {
    origin,
    async remove() {
      server.kill()
      await server.exited
      rmSync(home, { recursive: true, force: true })
    },
  }
}

function documented(language: string): string {
  const page = readFileSync(join(import.meta.dir, '../../docs/operations/balancers.md'), 'utf8')
  const [, block] = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'ms').exec(page) ?? []
  if (!block) throw new Error(`the document has no block for ${language}`)
  return block
}
