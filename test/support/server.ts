import { join } from 'node:path'
import { createSessions } from '../../server/auth/session.ts'
import { readConfig } from '../../server/config/read.ts'
import type { Send } from './api.ts'
import { ALICE, OWNER } from './app.ts'
import { isHealthy } from './health.ts'
import { freePort } from './postgres.ts'
import { until } from './until.ts'

export const executable = join(import.meta.dir, '../../dist/faultline')

/** The executable as a process of its own, for tests of how it starts and stops. */
export interface Server {
  process: Bun.Subprocess<'ignore', 'ignore', 'pipe'>
  origin: string
  send: Send
  env: Record<string, string>
  healthy(): Promise<void>
}

export async function startServer(
  changed: Record<string, string>,
  { command = [executable, 'serve'], cwd = '/' }: { command?: string[]; cwd?: string } = {},
): Promise<Server> {
  const port = changed.PORT ?? String(await freePort())
  const origin = `http://127.0.0.1:${port}`
  const env: Record<string, string> = {
    PUBLIC_URL: origin,
    PORT: port,
    ALLOWED_DOMAIN: 'example.com',
    OWNER_EMAIL: OWNER,
    SESSION_PASSWORD: 'a test password of enough different characters',
    OAUTH_CLIENT_ID: 'faultline',
    OAUTH_CLIENT_SECRET: 'client-secret',
    ...changed,
  }
  const process = Bun.spawn(command, { cwd, env, stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' })
  const cookie = (await createSessions(readConfig(env)).begin(ALICE)).split(';', 1)[0]!
  return {
    process,
    origin,
    env,
    send: (path, init = {}) =>
      fetch(origin + path, { ...init, headers: { ...(init.headers as object), cookie } }),
    healthy: () =>
      until(() => {
        if (process.exitCode !== null) throw new Error('the server ended')
        return isHealthy(origin)
      }, 'the server is healthy'),
  }
}
