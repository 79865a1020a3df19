import { LEEWAY_SECONDS } from '../../server/auth/id-token.ts'
import { callProvider, descriptionAddress } from '../../server/auth/provider.ts'
import type { Judged } from '../../server/config/partial.ts'
import { type Check, DEADLINE_MS, fault, NEEDS_SETTINGS, ok, skipped } from './check.ts'

/** The provider writes its time into what it signs; if ours is another, nobody can sign in. */
export async function checkClock({ config, faulty }: Judged): Promise<Check> {
  if (!config || faulty.has('OAUTH_ISSUER') || faulty.has('OAUTH_PROVIDER'))
    return skipped('clock', NEEDS_SETTINGS)
  const { issuer } = config.oauth
  const asked = Date.now()
  const answer = await callProvider(issuer, descriptionAddress(issuer), { deadlineMs: DEADLINE_MS }).catch(
    () => undefined,
  )
  const theirs = Date.parse(answer?.headers.get('date') ?? '')
  if (Number.isNaN(theirs)) return skipped('clock', 'the provider does not tell its time')
  // Their time is cut to a second, and was written between our question and its answer.
  const ahead = Math.max(0, asked - theirs - 1_000)
  const behind = Math.max(0, theirs - Date.now())
  const seconds = Math.round(Math.max(ahead, behind) / 1_000)
  if (seconds <= LEEWAY_SECONDS) return ok('clock', 'agrees with that of the provider')
  const said = `${seconds} s ${ahead ? 'ahead of' : 'behind'} that of the provider; more than ${LEEWAY_SECONDS} s, and nobody can sign in`
  return fault('clock', said, 'set the time by NTP: `timedatectl set-ntp true`')
}
