import { createECDH } from 'node:crypto'
import { t } from 'elysia'
import { fromBase64Url } from '../base64url.ts'
import { type FieldFault, Refusal } from '../errors.ts'
import { Body } from '../wire.ts'
import { readEndpoint } from './endpoint.ts'

/** The browser's `PushSubscription.toJSON()`. */
export const SubscriptionBody = Body({
  endpoint: t.String({
    description: 'An https address of a known push service, at most 2 048 characters.',
  }),
  keys: Body({
    p256dh: t.String({ description: 'The P-256 public key, 65 bytes in base64url.' }),
    auth: t.String({ description: 'The authentication secret, 16 bytes in base64url.' }),
  }),
})

export const EndpointBody = Body({ endpoint: t.String() })

export const Subscribed = t.Object({ endpoint: t.String({ description: 'As it was stored.' }) })

export interface Subscription {
  endpoint: string
  p256dh: string
  auth: string
}

/** A subscription that can be sent to, or `Refusal` with every fault. */
export function readSubscription(
  { endpoint: given, keys }: typeof SubscriptionBody.static,
  pushHosts: readonly string[],
): Subscription {
  const faults: FieldFault[] = []
  const read = readEndpoint(given, pushHosts)
  if ('fault' in read) faults.push({ field: 'endpoint', message: read.fault })
  if (!isPointOnCurve(keys.p256dh)) faults.push({ field: 'keys.p256dh', message: PUBLIC_KEY_RULE })
  if (fromBase64Url(keys.auth)?.length !== 16) faults.push({ field: 'keys.auth', message: AUTH_RULE })
  if ('fault' in read || faults.length) throw new Refusal('invalid_body', faults)
  return { endpoint: read.endpoint, p256dh: keys.p256dh, auth: keys.auth }
}

const PUBLIC_KEY_RULE = 'must be a point of the curve P-256: 65 bytes in base64url without padding'
const AUTH_RULE = 'must be 16 bytes in base64url without padding'

function isPointOnCurve(text: string): boolean {
  const bytes = fromBase64Url(text)
  if (bytes?.length !== 65) return false
  try {
    const curve = createECDH('prime256v1')
    curve.generateKeys()
    curve.computeSecret(bytes)
    return true
  } catch {
    return false
  }
}
