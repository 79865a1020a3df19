import { ProviderFault } from '../../server/auth/fault.ts'
import { discover } from '../../server/auth/provider.ts'
import type { Judged } from '../../server/config/partial.ts'
import { type Check, fault, NEEDS_SETTINGS, ok, skipped } from './check.ts'

/** Whether the provider answers for OAUTH_ISSUER, and what to register with it. */
export async function checkSignIn({ config, faulty }: Judged): Promise<Check> {
  if (!config || faulty.has('OAUTH_ISSUER') || faulty.has('OAUTH_PROVIDER'))
    return skipped('sign-in', NEEDS_SETTINGS)
  const { issuer, provider } = config.oauth
  try {
    await discover(issuer)
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error
    return fault(
      'sign-in',
      error.message,
      error.fix ?? `OAUTH_ISSUER must be the provider's issuer, and answer this machine`,
    )
  }
  const register = faulty.has('PUBLIC_URL')
    ? ''
    : `; its redirect URI here is ${config.publicUrl}/auth/${provider}/callback`
  return ok('sign-in', `${issuer} answers${register}`)
}
