import { expect, test } from 'bun:test'
import { type Cutoffs, noCutoffs } from '../../server/auth/cutoffs.ts'
import { createSessions } from '../../server/auth/session.ts'
import type { Database } from '../../server/db/database.ts'
import { DatabaseUnavailable } from '../../server/errors.ts'
import { testConfig } from '../support/config.ts'
import { httpApp } from '../support/routes.ts'

const config = testConfig({ PUBLIC_URL: 'http://127.0.0.1:3000' })
const unknown: Cutoffs = {
  ...noCutoffs(),
  isKnown: () => false,
  read: () => Promise.reject(new DatabaseUnavailable('away')),
}
const db = { kind: 'postgres', health: async () => 'unreachable' } as unknown as Database
const app = httpApp({ config, db }, createSessions(config, unknown))
const cookie = (await createSessions(config).begin('alice@example.com')).split(';')[0]!

async function statusOf(method: string, path: string, headers: Record<string, string>) {
  const url = config.publicUrl + path
  return (await app.handle(new Request(url, { method, headers: { host: new URL(url).host, ...headers } })))
    .status
}

test('before it is known which sessions were ended, who brings one waits, and who brings none is sent to sign in', async () => {
  for (const [method, path, withSession, without] of [
    ['GET', '/', 503, 302],
    ['GET', '/api/defects', 503, 401],
    ['POST', '/api/defects', 503, 401],
    ['GET', '/board.svg', 503, 302],
    ['GET', '/api/session', 503, 200],
    ['GET', '/login', 503, 200],
    ['POST', '/api/health', 503, 401],
    // nobody is asked who they are
    ['GET', '/api/health?live', 200, 200],
    ['GET', '/sw.js', 200, 200],
    ['POST', '/auth/logout', 303, 303],
  ] as const) {
    expect([path, await statusOf(method, path, { cookie })]).toEqual([path, withSession])
    expect([path, await statusOf(method, path, { cookie: 'faultline=x' })]).toEqual([path, without])
    expect([path, await statusOf(method, path, {})]).toEqual([path, without])
  }
})
