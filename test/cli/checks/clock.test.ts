import { afterAll, expect, test } from 'bun:test'
import { checkClock } from '../../../cli/checks/clock.ts'
import { judgeConfig } from '../../../server/config/partial.ts'

let ahead = 0
const provider = Bun.serve({
  port: 0,
  fetch: () => Response.json({}, { headers: { date: new Date(Date.now() + ahead * 1000).toUTCString() } }),
})
afterAll(() => provider.stop(true))

const env = { OAUTH_PROVIDER: 'test', OAUTH_ISSUER: `http://127.0.0.1:${provider.port}` }
const checked = (seconds: number) => {
  ahead = seconds
  return checkClock(judgeConfig(env))
}

test('a clock that agrees with the provider is sound', async () => {
  expect(await checked(0)).toMatchObject({ status: 'ok' })
})

test.each([
  [600, 'behind'],
  [-600, 'ahead of'],
])('a clock that differs by %d s is a fault', async (seconds, where) => {
  expect(await checked(seconds)).toMatchObject({
    status: 'fault',
    said: expect.stringContaining(where),
    mend: expect.stringContaining('NTP'),
  })
})

test('who does not answer tells no time', async () => {
  const checks = checkClock(judgeConfig({ ...env, OAUTH_ISSUER: 'http://127.0.0.1:1' }))
  expect(await checks).toMatchObject({ status: 'skipped' })
})
