import { describe, expect, test } from 'bun:test'
import { post, problemOf, report } from '../support/api.ts'
import { OWNER } from '../support/app.ts'
import { healthy } from '../support/health.ts'
import { newDevice, vapidPair } from '../support/push-service.ts'
import { besidePushServices, PATH } from '../support/push-services.ts'
import { refusesConnections } from '../support/raw.ts'
import { until } from '../support/until.ts'

const here = besidePushServices()
const { rows, subscribe, remove } = here

describe('filing', () => {
  test('pushes once to every device, encrypted for it and signed', async () => {
    const devices = [here.service.device(), here.service.device()]
    for (const device of devices) await subscribe(device)
    const entry = await report(here.alice, here.projectId, 'Der Schirm ist lose 🔩')
    await here.service.arrived(2)
    for (const push of here.service.received) {
      expect(push.message).toEqual({
        title: expect.stringMatching(/^Hinge rework · ./),
        body: 'Der Schirm ist lose 🔩',
        section_id: 'usb-port',
        section: 'USB port',
        defect_id: entry.id,
        url: `/defects/${entry.id}`,
      })
      expect(push.headers).toMatchObject({ ttl: '86400', urgency: 'high' })
      expect(push.vapid).toMatchObject({
        aud: here.service.origin,
        sub: `mailto:${OWNER}`,
        key: here.vapid.publicKey,
      })
    }
    expect(new Set(here.service.received.map(({ device }) => device))).toEqual(new Set(devices))
  })

  test('the same report under the same key pushes once', async () => {
    await subscribe(here.service.device())
    const body = { section_id: 'usb-port', project_id: here.projectId, verbatim: 'said twice' }
    const file = () => post(here.alice, '/api/defects', body, { 'idempotency-key': 'twice' })
    const answers = await Promise.all([file(), file(), file()])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 201])
    await report(here.alice, here.projectId, 'the last word')
    await until(() => here.service.received.some(({ message }) => message.body === 'the last word'))
    expect(here.service.received.filter(({ message }) => message.body === 'said twice')).toHaveLength(1)
  })

  test('a refused report pushes nothing', async () => {
    await subscribe(here.service.device())
    const body = { section_id: 'usb-port', project_id: here.projectId, verbatim: ' ' }
    expect((await post(here.alice, '/api/defects', body)).status).toBe(422)
    await report(here.alice, here.projectId, 'the only word')
    await here.service.arrived(1)
    expect(here.service.received.map(({ message }) => message.body)).toEqual(['the only word'])
  })

  test('a device that is gone is forgotten; one that refuses is kept, with the reason', async () => {
    const [gone, refusing] = [here.service.device(), here.service.device()]
    await subscribe(gone)
    await subscribe(refusing)
    here.service.answer = ({ device }) =>
      device === gone
        ? new Response(null, { status: 410 })
        : Response.json({ reason: 'BadJwtToken' }, { status: 403 })
    await report(here.alice, here.projectId)
    await until(async () => {
      const kept = await rows()
      return kept.length === 1 && kept[0]?.lastOutcome !== null
    })
    const [kept] = await rows()
    expect(kept?.endpoint).toBe(refusing.json.endpoint)
    expect(kept?.lastOutcome).toStartWith('refused: 403 ')
    expect(kept?.lastOutcome).toContain('BadJwtToken')
  })

  test('a service that has a fault is asked again, and the message arrives once', async () => {
    await subscribe(here.service.device())
    here.service.answer = (_, earlier) => new Response(null, { status: earlier === 0 ? 500 : 201 })
    await report(here.alice, here.projectId, 'after a fault')
    await here.service.arrived(2)
    await until(async () => (await rows())[0]?.lastOutcome === 'delivered: 201')
    expect(here.service.received.map(({ message }) => message.body)).toEqual([
      'after a fault',
      'after a fault',
    ])
  })
})

describe('with a push service in trouble, and over a restart', () => {
  test('a push that is pending at the stop is still sent', async () => {
    await subscribe(here.service.device())
    let release = () => {}
    here.service.answer = () =>
      new Promise(resolve => {
        release = () => resolve(new Response(null, { status: 201 }))
      })
    await report(here.alice, here.projectId, 'just before the end')
    await here.service.arrived(1)
    const halted = here.app.halt()
    await until(() => refusesConnections(here.app.origin), 'new connections are refused')
    release()
    await halted
    await here.app.restart()
    expect(here.app.logs.filter(({ message }) => message === 'pushes were not sent before the end')).toEqual(
      [],
    )
    expect(await rows()).toMatchObject([{ lastOutcome: 'delivered: 201' }])
  })

  test('answers do not wait for a push service that is dead or silent', async () => {
    await subscribe(newDevice(`http://${here.silent.host}`).device)
    await subscribe(newDevice(`https://${here.silent.host}`).device)
    await subscribe(newDevice(`http://${here.dead.host}`).device)
    // One that waited for its push would take ten seconds: forty do not fit into the time of this test.
    for (let i = 0; i < 40; i++) await report(here.alice, here.projectId)
    await until(() => here.silent.openNow > 0)
    await healthy(here.app.origin)
  })

  test('a silent push service does not keep the server from stopping', async () => {
    await subscribe(newDevice(`http://${here.silent.host}`).device)
    await report(here.alice, here.projectId)
    await until(() => here.silent.openNow > 0)
    await here.app.halt()
    await until(() => here.silent.openNow === 0)
    await here.app.restart()
  })

  test('under a new VAPID key old devices get nothing until they subscribe again', async () => {
    const device = here.service.device()
    await subscribe(device)
    const renewed = vapidPair()
    await here.app.restart({ VAPID_PUBLIC_KEY: renewed.publicKey, SIGNING_SECRET: renewed.privateKey })
    const other = here.service.device()
    await subscribe(other)
    await report(here.alice, here.projectId)
    await here.service.arrived(1)
    expect(here.service.received.map(push => push.device)).toEqual([other])
    expect((await subscribe(device)).status).toBe(200)
    await report(here.alice, here.projectId)
    await here.service.arrived(3)
    expect(here.service.received.filter(push => push.device === device)).toMatchObject([
      { vapid: { key: renewed.publicKey } },
    ])
  })

  test('with push off nothing can subscribe, and filing works', async () => {
    await subscribe(here.service.device())
    await here.app.restart({ VAPID_PUBLIC_KEY: '', SIGNING_SECRET: '' })
    const response = await post(here.owner, PATH, here.service.device().json)
    expect([response.status, (await problemOf(response)).code]).toEqual([409, 'push_off'])
    await report(here.alice, here.projectId)
    expect((await remove({ endpoint: 'x' })).status).toBe(204)
    const said = () =>
      here.app.logs.filter(({ message }) => message === 'push is off: VAPID_PUBLIC_KEY is not set')
    await until(() => said().length > 0)
    expect(said()).toHaveLength(1)
    expect(here.service.received).toEqual([])
  })
})
