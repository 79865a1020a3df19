import type { Judged } from '../../server/config/partial.ts'
import type { Config } from '../../server/config/read.ts'
import { isLoopback } from '../../server/loopback.ts'
import { request } from '../../server/outbound.ts'
import { type Check, DEADLINE_MS, fault, NEEDS_SETTINGS, ok, skipped } from './check.ts'

const SERVICES = ['fcm.googleapis.com', 'updates.push.services.mozilla.com', 'web.push.apple.com']

export function checkPushKeys({ config, faulty }: Judged): Check {
  if (faulty.has('VAPID_PUBLIC_KEY') || faulty.has('SIGNING_SECRET'))
    return skipped('push keys', NEEDS_SETTINGS)
  if (!config?.vapid) return skipped('push keys', 'push is off: VAPID_PUBLIC_KEY is not set')
  return ok('push keys', 'SIGNING_SECRET belongs to VAPID_PUBLIC_KEY')
}

/** The known services, and those that the owner's devices are subscribed at. */
export async function checkPushServices(config: Config | undefined, devices: string[]): Promise<Check[]> {
  if (!config?.vapid) return [skipped('push services', 'push is off')]
  return Promise.all([...new Set([...SERVICES, ...devices])].map(checkService))
}

/** Any answer will do: it shows that the way is open. */
async function checkService(host: string): Promise<Check> {
  const scheme = isLoopback(new URL(`https://${host}`).hostname) ? 'http' : 'https'
  try {
    const limits = { deadlineMs: DEADLINE_MS, maxBytes: 0, bodyMs: 100 }
    await request(`${scheme}://${host}/`, { allow: () => true, ...limits })
    return ok('push services', `${host} answers`)
  } catch (error) {
    const mend = `let this machine open https connections to ${host}`
    return fault('push services', (error as Error).message, mend)
  }
}
