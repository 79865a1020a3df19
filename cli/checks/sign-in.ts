import type { Judged } from '../../server/config/partial.ts'
import { OutboundFault, request } from '../../server/outbound.ts'
import { type Check, DEADLINE_MS, fault, ok, skipped, UNMENDED } from './check.ts'

const DISCOVERY_MOST_BYTES = 256 * 1024

/** Whether the provider answers for OAUTH_ISSUER, and what to register with it. */
export async function checkSignIn({ config, faulty }: Judged): Promise<Check> {
  if (!config || faulty.has('OAUTH_ISSUER') || faulty.has('OAUTH_PROVIDER'))
    return skipped('sign-in', UNMENDED)
  const { issuer, provider } = config.oauth
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const wrong = await discoveryFault(issuer, url)
  if (wrong) {
    const mend = `OAUTH_ISSUER must be the provider's issuer exactly; ${url} has to answer from this machine`
    return fault('sign-in', wrong, mend)
  }
  const register = faulty.has('PUBLIC_URL')
    ? ''
    : `; its redirect URI here is ${config.publicUrl}/auth/${provider}/callback`
  return ok('sign-in', `${issuer} answers${register}`)
}

async function discoveryFault(issuer: string, url: string): Promise<string | undefined> {
  try {
    const limits = { deadlineMs: DEADLINE_MS, maxBytes: DISCOVERY_MOST_BYTES }
    const answer = await request(url, { allow: () => true, ...limits })
    if (answer.status !== 200) return `${url} answers ${answer.status}`
    const found = JSON.parse(new TextDecoder().decode(answer.body)) as { issuer?: unknown }
    return found?.issuer === issuer ? undefined : `${url} speaks for another issuer: ${found?.issuer}`
  } catch (error) {
    return error instanceof OutboundFault ? error.message : `${url} is not a discovery document`
  }
}
