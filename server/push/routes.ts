import { Elysia, t } from 'elysia'
import type { Deps } from '../deps.ts'
import { subscribe, unsubscribe } from './devices.ts'
import { EndpointBody, readSubscription, Subscribed, SubscriptionBody } from './model.ts'

export const pushRoutes = ({ config, db }: Pick<Deps, 'config' | 'db'>) =>
  new Elysia({ name: 'push' })
    .post(
      '/api/subscriptions',
      async ({ body, status }) => {
        const subscription = readSubscription(body, config.pushHosts)
        const known = await subscribe(db, config, subscription)
        return status(known === 'new' ? 201 : 200, { endpoint: subscription.endpoint })
      },
      { body: SubscriptionBody, response: { 200: Subscribed, 201: Subscribed } },
    )
    .delete(
      '/api/subscriptions',
      async ({ body, status }) => {
        await unsubscribe(db, body.endpoint)
        return status(204, undefined)
      },
      { body: EndpointBody, response: { 204: t.Void() } },
    )
