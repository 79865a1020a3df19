import { Elysia, t } from 'elysia'
import { contextOf } from '../auth/guards.ts'
import type { Deps } from '../deps.ts'
import { subscribe, unsubscribe } from './devices.ts'
import { deviceName } from './endpoint.ts'
import { EndpointBody, readSubscription, Subscribed, SubscriptionBody } from './model.ts'

export const pushRoutes = ({ config, db, log }: Pick<Deps, 'config' | 'db' | 'log'>) =>
  new Elysia({ name: 'push' })
    .post(
      '/api/subscriptions',
      async ({ body, request, status }) => {
        const subscription = readSubscription(body, config.pushHosts)
        const { endpoint } = subscription
        const { isNew, displaced } = await subscribe(db, config, subscription)
        const by = actorOf(request)
        log.audit(isNew ? 'device_added' : 'device_renewed', { ...by, device: deviceName(endpoint) })
        for (const device of displaced.map(deviceName)) log.audit('device_displaced', { ...by, device })
        return status(isNew ? 201 : 200, { endpoint })
      },
      { body: SubscriptionBody, response: { 200: Subscribed, 201: Subscribed } },
    )
    .delete(
      '/api/subscriptions',
      async ({ body, request, status }) => {
        const removed = await unsubscribe(db, body.endpoint)
        if (removed) log.audit('device_removed', { ...actorOf(request), device: deviceName(removed) })
        return status(204, undefined)
      },
      { body: EndpointBody, response: { 204: t.Void() } },
    )

function actorOf(request: Request) {
  const { visitor, requestId } = contextOf(request)
  return { actor: visitor?.email, request_id: requestId }
}
