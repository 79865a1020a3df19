import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createSessions } from '../../server/auth/session.ts'
import { readConfig } from '../../server/config/read.ts'
import { freePort } from '../support/postgres.ts'

export const executable = join(import.meta.dir, '../../dist/faultline')

export interface Product {
  origin: string
  headers: Record<string, string>
  /** from the start of the process to the first healthy answer */
  startedMs: number
  memoryMb(): number
  stop(): Promise<void>
}

/** The compiled executable as an operator starts it, and a session like anybody's. */
export async function startProduct(home: string, databaseUrl?: string, build = executable): Promise<Product> {
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const env = {
    PUBLIC_URL: origin,
    PORT: String(port),
    DATA_DIR: join(home, 'data'),
    ...(databaseUrl ? { DATABASE_URL: databaseUrl } : {}),
    ALLOWED_DOMAIN: 'example.com',
    OWNER_EMAIL: 'owner@example.com',
    SESSION_PASSWORD: 'a bench password of enough different characters',
    OAUTH_CLIENT_ID: 'faultline',
    OAUTH_CLIENT_SECRET: 'client-secret',
    LOG_LEVEL: 'warn',
  }
  const started = performance.now()
  const child = Bun.spawn([build, 'serve'], { cwd: home, env, stdout: 'ignore', stderr: 'inherit' })
  process.once('exit', () => child.kill())
  await until(async () => (await fetch(`${origin}/api/health`)).status === 200)
  const startedMs = performance.now() - started
  const cookie = (await createSessions(readConfig(env)).begin('alice@example.com')).split(';', 1)[0]!
  return {
    origin,
    headers: { cookie },
    startedMs,
    memoryMb: () => residentMb(child.pid),
    async stop() {
      child.kill('SIGTERM')
      await child.exited
    },
  }
}

export async function startBaseline(kind: 'bytes' | 'plain', source: string) {
  const port = await freePort()
  const command = [process.execPath, join(import.meta.dir, 'baselines.ts'), kind, String(port), source]
  const child = Bun.spawn(command, {
    stdout: 'inherit',
    stderr: 'inherit',
    env: { ...process.env, NODE_ENV: 'production' },
  })
  const url = `http://127.0.0.1:${port}/api/defects`
  await until(async () => (await fetch(url)).status === 200)
  return {
    url,
    async stop() {
      child.kill()
      await child.exited
    },
  }
}

const OF_THE_TRANSPORT = /^(date|connection|content-length|transfer-encoding)$/

/** An answer of the product, from memory. */
export async function startBytes({ origin, headers }: Product, path: string, scratch: string) {
  const answer = await fetch(origin + path, { headers: { ...headers, 'accept-encoding': 'identity' } })
  const file = join(mkdtempSync(join(scratch, 'bytes-')), 'body')
  writeFileSync(file, await answer.bytes())
  writeFileSync(
    `${file}.headers`,
    JSON.stringify([...answer.headers].filter(([name]) => !OF_THE_TRANSPORT.test(name))),
  )
  return startBaseline('bytes', file)
}

export const freshHome = (scratch: string) => mkdtempSync(join(scratch, 'home-'))

function residentMb(pid: number): number {
  const [, kb] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Math.round(Number(kb) / 1024)
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 20_000; tries++) {
    if (await holds().catch(() => false)) return
    await Bun.sleep(2)
  }
  throw new Error('nothing answered in 40 s')
}
