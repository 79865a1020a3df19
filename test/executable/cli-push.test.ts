import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { OWNER, type TestApp, testApp } from '../support/app.ts'
import { faultline, onTerminal } from '../support/cli.ts'
import { type PushService, pushService, vapidPair } from '../support/push-service.ts'

describe.each(['embedded', 'postgres'] as const)('on %s', database => {
  let app: TestApp
  let service: PushService
  let where: { env: Record<string, string> }

  beforeAll(async () => {
    service = pushService()
    const { publicKey, privateKey } = vapidPair()
    app = await testApp({
      database,
      env: { VAPID_PUBLIC_KEY: publicKey, SIGNING_SECRET: privateKey, PUSH_HOSTS: service.host },
    })
    where = { env: { ...app.env, LOG_LEVEL: 'warn' } }
    for (let i = 0; i < 2; i++) {
      const response = await app.as(OWNER)('/api/subscriptions', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(service.device().json),
      })
      expect(response.status).toBe(201)
    }
  })
  afterAll(async () => {
    await app.stop()
    await service.stop()
  })

  test('`push test` reaches every device of the owner and says so', async () => {
    const { status, out, err } = await faultline(['push', 'test'], where)
    expect({ status, err }).toEqual({ status: 0, err: '' })
    expect(service.received).toHaveLength(2)
    expect(service.faults).toEqual([])
    expect(out.trimEnd().split('\n')).toHaveLength(2)
    for (const line of out.trimEnd().split('\n'))
      expect(line).toMatch(/^127\.0\.0\.1:\d+\/[0-9a-f]{8}\tdelivered\t201$/)
  })

  test('`push status` tells the devices and what became of the last push', async () => {
    const { status, out } = await faultline(['push', 'status', '--json'], where)
    expect(status).toBe(0)
    const devices = JSON.parse(out)
    expect(devices).toHaveLength(2)
    expect(devices[0]).toMatchObject({ in_force: true, last_outcome: 'delivered: 201' })
    expect(Object.keys(devices[0])).toEqual([
      'device',
      'subscribed_at',
      'in_force',
      'last_outcome',
      'last_outcome_at',
    ])
    expect((await onTerminal(['push', 'status'], where)).screen).toMatch(/delivered: 201, just now/)
  })

  test('a push service that refuses is told in its own words, with an exit status of its own', async () => {
    service.answer = push =>
      push.device === service.received[0]?.device
        ? new Response('key \x1b[31mexpired', { status: 403 })
        : new Response(null, { status: 201 })
    const { status, out } = await faultline(['push', 'test', '--json'], where)
    expect(status).toBe(6)
    expect(
      JSON.parse(out)
        .map((sent: { outcome: string }) => sent.outcome)
        .toSorted(),
    ).toEqual(['delivered', 'refused'])
    expect(out).toContain('403')
    expect(out).not.toContain('\x1b')
  })

  test('a device that is gone is taken off the list; without any the exit status says so', async () => {
    service.answer = () => new Response(null, { status: 410 })
    expect((await faultline(['push', 'test'], where)).status).toBe(6)
    const { status, out, err } = await faultline(['push', 'test', '--json'], where)
    expect({ status, out }).toEqual({ status: 5, out: '[]\n' })
    expect(err).toContain('no device of the owner is subscribed')
  })
})
