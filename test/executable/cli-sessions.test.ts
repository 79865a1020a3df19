import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { ALICE, BOB, type TestApp, testApp } from '../support/app.ts'
import { faultline, saidAndRecorded } from '../support/cli.ts'

describe.each(['embedded', 'postgres'] as const)('on %s', database => {
  let app: TestApp
  beforeAll(async () => {
    app = await testApp({ database })
  })
  afterAll(() => app.stop())

  const end = (...args: string[]) =>
    faultline(['sessions', 'end', ...args], { env: { ...app.env, LOG_FORMAT: 'json' } })
  const statusFor = async (cookie: string) =>
    (await app.anonymous('/api/defects', { headers: { cookie } })).status

  test('sessions are over on the running server when the command returns: of one person, then of everybody', async () => {
    const [alice, bob] = [await app.cookie(ALICE), await app.cookie(BOB)]
    expect([await statusFor(alice), await statusFor(bob)]).toEqual([200, 200])
    const one = await end('--email', 'Alice@Example.com')
    expect(one).toMatchObject({ status: 0, out: '' })
    expect(saidAndRecorded(one)).toMatchObject({
      said: expect.stringContaining('The sessions of alice@example.com have ended'),
      recorded: [{ level: 'audit', event: 'sessions_ended', of: 'alice@example.com' }],
    })
    expect([await statusFor(alice), await statusFor(bob)]).toEqual([401, 200])
    const again = await app.cookie(ALICE)
    expect(await statusFor(again)).toBe(200)
    expect((await end('--all')).err).toContain('The sessions of everybody have ended')
    expect([await statusFor(again), await statusFor(bob)]).toEqual([401, 401])
  })
})

test('whose sessions must be said, once', async () => {
  for (const args of [[], ['--email', 'nobody'], ['--email', '*'], ['--all', '--email', ALICE]]) {
    const asked = await faultline(['sessions', 'end', ...args], { env: {} })
    expect([args, asked.status, asked.out]).toEqual([args, 2, ''])
    expect(asked.err).toContain('--email')
  }
})
