import { expect, test } from 'bun:test'
import { BOB } from '../support/app.ts'
import { besideProvider } from '../support/sign-in.ts'
import { until } from '../support/until.ts'

const here = besideProvider()

const trail = () =>
  here.app.logs
    .filter(({ level }) => level === 'audit')
    .map(({ event, actor, reason, request_id }) => ({ event, actor, reason, request_id }))
/** The record that this led to, once the log is read. */
async function recorded(event: string, about: { actor?: string; reason?: string }) {
  const matching = () =>
    trail().filter(
      record => record.event === event && record.actor === about.actor && record.reason === about.reason,
    )
  await until(
    () => matching().length > 0,
    () => `${event} of ${JSON.stringify(about)} in ${JSON.stringify(trail())}`,
  )
  expect(matching()).toEqual([
    { event, actor: about.actor, reason: about.reason, request_id: expect.any(String) },
  ] as never)
}

test('who signs in and out is in the trail', async () => {
  const { person } = await here.arrive({ email: 'Bob@example.com', email_verified: true })
  await recorded('signed_in', { actor: BOB })
  await person.get('/auth/logout', { method: 'POST' })
  await recorded('signed_out', { actor: BOB })
})

test('who is refused is in the trail with the reason, under the address that the provider claimed', async () => {
  await here.arrive({ email: 'eve@evil.test', email_verified: true })
  await recorded('sign_in_refused', { actor: 'eve@evil.test', reason: 'wrong_domain' })
  await here.arrive({ email: 'mallory@example.com', email_verified: false })
  await recorded('sign_in_refused', { actor: 'mallory@example.com', reason: 'unverified' })
  await here.arrive({ email: undefined })
  await recorded('sign_in_refused', { reason: 'no_email' })
})

test('signing out without a session records nobody', async () => {
  const before = trail().length
  expect((await here.app.anonymous('/auth/logout', { method: 'POST' })).status).toBe(303)
  const { person } = await here.arrive({ email: 'carol@example.com', email_verified: true })
  expect(person).toBeDefined()
  await recorded('signed_in', { actor: 'carol@example.com' })
  expect(trail()).toHaveLength(before + 1)
})
