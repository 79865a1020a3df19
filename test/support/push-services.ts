import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'bun:test'
import { pushSubscriptions } from '../../server/db/schema.ts'
import { post, project, type Send } from './api.ts'
import { ALICE, OWNER, type TestApp, testApp } from './app.ts'
import { type PushService, pushService, type TestDevice, vapidPair } from './push-service.ts'
import { type SilentService, silentService } from './silent-service.ts'

export const PATH = '/api/subscriptions'

/** For all tests of one file: the product with push, and push services that answer, that are silent and that are away. */
export function besidePushServices() {
  const here = { vapid: vapidPair() } as {
    vapid: ReturnType<typeof vapidPair>
    app: TestApp
    owner: Send
    alice: Send
    projectId: string
    service: PushService
    silent: SilentService
    dead: SilentService
  }

  beforeAll(async () => {
    here.service = pushService()
    here.silent = await silentService()
    here.dead = await silentService()
    here.dead.stop()
    here.app = await testApp({
      env: {
        VAPID_PUBLIC_KEY: here.vapid.publicKey,
        SIGNING_SECRET: here.vapid.privateKey,
        PUSH_HOSTS: [here.service, here.silent, here.dead].map(({ host }) => host).join(),
        OWNER_EMAIL: 'Owner@Example.com',
      },
    })
    here.owner = here.app.as(OWNER)
    here.alice = here.app.as(ALICE)
    here.projectId = (await project(here.app)).id
  })
  beforeEach(() => {
    here.service.received.length = 0
    here.service.answer = () => new Response(null, { status: 201 })
  })
  afterEach(async () => {
    expect(here.service.faults).toEqual([])
    await here.app.db.write(async queries => void (await queries.delete(pushSubscriptions)))
  })
  afterAll(async () => {
    await here.app.stop()
    await here.service.stop()
    here.silent.stop()
  })

  return Object.assign(here, {
    rows: () => here.app.db.read(queries => queries.select().from(pushSubscriptions)),
    subscribe: (device: TestDevice) => post(here.owner, PATH, device.json),
    remove: (body: unknown, headers: Record<string, string> = { 'content-type': 'application/json' }) =>
      here.owner(PATH, {
        method: 'DELETE',
        headers,
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
  })
}
