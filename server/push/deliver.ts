import { generateRequestDetails } from 'web-push'
import type { PushConfig } from '../config/read.ts'
import { type OutboundAnswer, OutboundFault, request } from '../outbound.ts'
import { isPushService } from './endpoint.ts'
import type { Subscription } from './model.ts'

export type SenderConfig = Pick<PushConfig, 'ownerEmail' | 'vapid' | 'pushHosts'>

/** What became of one attempt. Only `busy` is worth another. */
export type Outcome = { said: string; status?: number } & (
  | { kind: 'delivered' | 'gone' | 'refused' }
  | { kind: 'busy'; retryAfterMs?: number }
)

const DEADLINE_MS = 10_000
/** A service that has answered but does not end its answer: what it said counts. */
const BODY_MS = 1_000
const ANSWER_MOST_BYTES = 4 * 1024
const TTL_SECONDS = 24 * 60 * 60

/** One attempt to reach one device. Never throws. */
export async function deliver(
  config: SenderConfig,
  device: Subscription,
  message: string,
  { deadlineMs = DEADLINE_MS, signal }: { deadlineMs?: number; signal?: AbortSignal } = {},
): Promise<Outcome> {
  let prepared: ReturnType<typeof encrypted>
  try {
    prepared = encrypted(config, device, message)
  } catch (error) {
    return { kind: 'refused', said: `cannot be encrypted for this device: ${(error as Error).message}` }
  }
  try {
    const answer = await request(device.endpoint, {
      ...prepared,
      method: 'POST',
      allow: url => isPushService(url, config.pushHosts),
      deadlineMs,
      bodyMs: BODY_MS,
      maxBytes: ANSWER_MOST_BYTES,
      signal,
    })
    return outcomeOf(answer, Date.now())
  } catch (error) {
    const fault = error instanceof OutboundFault ? error : new OutboundFault('unreachable', 'the call failed')
    return { kind: fault.reason === 'not_allowed' ? 'refused' : 'busy', said: fault.message }
  }
}

function encrypted({ vapid, ownerEmail }: SenderConfig, device: Subscription, message: string) {
  if (!vapid) throw new Error('push is off')
  const { headers, body } = generateRequestDetails(
    { endpoint: device.endpoint, keys: { p256dh: device.p256dh, auth: device.auth } },
    message,
    {
      TTL: TTL_SECONDS,
      urgency: 'high',
      contentEncoding: 'aes128gcm',
      vapidDetails: { subject: vapidSubject(ownerEmail), ...vapid },
    },
  )
  const { 'Content-Length': _, ...rest } = headers
  return {
    headers: Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, String(value)])),
    body: new Uint8Array(body),
  }
}

/** Apple refuses a subject that is not a well-formed URI. */
export function vapidSubject(ownerEmail: string): string {
  return `mailto:${encodeURI(ownerEmail).replace(/[/?#&=]/g, encodeURIComponent)}`
}

function outcomeOf(answer: OutboundAnswer, now: number): Outcome {
  const { status } = answer
  const said = `${status} ${meaning(status)}${reason(answer.body)}`
  if (status >= 200 && status < 300) return { kind: 'delivered', said: String(status), status }
  if (status === 404 || status === 410) return { kind: 'gone', said, status }
  if (status !== 408 && status !== 429 && status < 500) return { kind: 'refused', said, status }
  return { kind: 'busy', said, status, retryAfterMs: retryAfter(answer.headers.get('retry-after'), now) }
}

function meaning(status: number): string {
  if (status === 404 || status === 410) return 'the subscription no longer exists'
  if (status === 400) return 'the push service did not understand the message'
  if (status === 401 || status === 403) return 'the push service does not accept the VAPID key or signature'
  if (status === 413) return 'the push service finds the message too large'
  if (status === 429) return 'the push service asks to slow down'
  if (status >= 300 && status < 400) return 'the push service redirects, which is not followed'
  return status >= 500 ? 'the push service has a fault' : 'the push service refuses'
}

/** The service's own words, on one line. */
function reason(body: Uint8Array): string {
  const text = new TextDecoder()
    .decode(body)
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
  return text ? `: ${text.length > 200 ? `${text.slice(0, 200).toWellFormed()}…` : text}` : ''
}

/** Seconds or a date, in milliseconds from now. */
export function retryAfter(header: string | null, now: number): number | undefined {
  if (header === null) return undefined
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000
  const date = header.endsWith(' GMT') ? Date.parse(header) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
