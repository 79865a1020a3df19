import { describe, expect, test } from 'bun:test'
import * as iron from 'iron-webcrypto'
import { noCutoffs } from '../../server/auth/cutoffs.ts'
import { createSeal } from '../../server/auth/seal.ts'
import { createSessions } from '../../server/auth/session.ts'
import { testConfig } from '../support/config.ts'

const HOUR = 3_600_000
const config = testConfig({ SESSION_TTL: '12h' })
const name = '__Host-faultline'

async function sealedFor(email: string, by = config) {
  const [pair = ''] = (await createSessions(by).begin(email)).split(';')
  return pair.slice(pair.indexOf('=') + 1)
}

const cookie = (...values: string[]) => values.map(value => `${name}=${value}`).join('; ')
const openWith = async (header: string | null, by = config) => await createSessions(by).open(header)
const emailOf = async (header: string | null, by = config) => (await openWith(header, by))?.email

/** Sealed with the right key for sessions, whatever the payload is. */
function forged(payload: object, expiresAt = Date.now() + HOUR) {
  return createSeal(config.session, 'session', Date.now).close(payload, expiresAt)
}

const payload = (changes: Record<string, unknown> = {}) => ({
  v: 1,
  purpose: 'session',
  aud: config.publicUrl,
  email: 'alice@example.com',
  iat: Date.now(),
  exp: Date.now() + HOUR,
  ...changes,
})

describe('a session', () => {
  test('opens for whom it was begun', async () => {
    const visitor = await openWith(cookie(await sealedFor('alice@example.com')))
    expect(visitor).toEqual({
      email: 'alice@example.com',
      isOwner: false,
      issuedAt: expect.any(Number),
      expiresAt: expect.any(Number),
    })
    expect((await openWith(cookie(await sealedFor('owner@example.com'))))?.isOwner).toBe(true)
  })

  test('has the strictest attributes on https', async () => {
    const [pair, ...attributes] = (await createSessions(config).begin('alice@example.com')).split('; ')
    expect(pair).toStartWith('__Host-faultline=Fe26.2*')
    expect(attributes.sort()).toEqual(['HttpOnly', 'Max-Age=43140', 'Path=/', 'SameSite=Lax', 'Secure'])
    expect(createSessions(config).end).toBe(
      '__Host-faultline=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax; Secure',
    )
  })

  test('has a plain name and no Secure on loopback http', async () => {
    const local = createSessions(testConfig({ PUBLIC_URL: 'http://127.0.0.1:3000' }))
    const setCookie = await local.begin('alice@example.com')
    expect(setCookie).toStartWith('faultline=Fe26.2*')
    expect(setCookie).not.toContain('Secure')
    expect(await local.open(setCookie.split(';', 1)[0]!)).toBeDefined()
  })

  test('of the longest legal address fits into a cookie', async () => {
    const domain = `${'d'.repeat(61)}.${'e'.repeat(61)}.${'f'.repeat(62)}.co`
    const email = `${'a'.repeat(254 - 1 - domain.length)}@${domain}`
    const long = testConfig({ ALLOWED_DOMAIN: domain, OWNER_EMAIL: email })
    const setCookie = await createSessions(long).begin(email)
    expect(setCookie.length).toBeLessThanOrEqual(4096)
    expect((await openWith(setCookie.split(';', 1)[0]!, long))?.email).toBe(email)
  })

  test('ends at its own time, however often it is used', async () => {
    let now = Date.now()
    const sessions = createSessions(
      config,
      noCutoffs(() => now),
    )
    const header = (await sessions.begin('alice@example.com')).split(';', 1)[0]!
    for (let hours = 0; hours < 12; hours++) {
      expect(await sessions.open(header)).toBeDefined()
      now += HOUR
    }
    expect(await sessions.open(header)).toBeUndefined()
    expect(
      await createSessions(
        config,
        noCutoffs(() => now),
      ).open(header),
    ).toBeUndefined()
    expect(
      await createSessions(
        config,
        noCutoffs(() => now - 1),
      ).open(header),
    ).toBeDefined()
  })

  test('is cut short when the configured lifetime is', async () => {
    let now = Date.now()
    const header = cookie(await sealedFor('alice@example.com'))
    const shorter = createSessions(
      testConfig({ SESSION_TTL: '1h' }),
      noCutoffs(() => now),
    )
    expect(await shorter.open(header)).toBeDefined()
    now += 2 * HOUR
    expect(await shorter.open(header)).toBeUndefined()
  })

  test('answers at once when its seal was opened before', async () => {
    const sessions = createSessions(config)
    const header = cookie(await sealedFor('alice@example.com'))
    expect(sessions.open(header)).toBeInstanceOf(Promise)
    await sessions.open(header)
    expect(sessions.open(header)).toMatchObject({ email: 'alice@example.com' })
  })

  test('is judged against the configuration in force', async () => {
    const owner = cookie(await sealedFor('owner@example.com'))
    expect((await openWith(owner, testConfig({ OWNER_EMAIL: 'new@example.com' })))?.isOwner).toBe(false)
    const moved = testConfig({ ALLOWED_DOMAIN: 'moved.example', OWNER_EMAIL: 'owner@moved.example' })
    expect(await openWith(owner, moved)).toBeUndefined()
    expect(await openWith(owner, testConfig({ PUBLIC_URL: 'https://other.example.com' }))).toBeUndefined()
  })

  test('survives a rotation of the password, and ends with the old one', async () => {
    const rotated = testConfig({
      SESSION_PASSWORD: 'another password of enough different characters',
      SESSION_PASSWORD_PREVIOUS: config.session.password,
    })
    const finished = testConfig({ SESSION_PASSWORD: rotated.session.password })
    const old = cookie(await sealedFor('alice@example.com'))
    const fresh = cookie(await sealedFor('alice@example.com', rotated))
    expect(await emailOf(old, rotated)).toBe('alice@example.com')
    expect(await emailOf(fresh, finished)).toBe('alice@example.com')
    expect(await emailOf(old, finished)).toBeUndefined()
    expect(await emailOf(fresh, config)).toBeUndefined()
  })
})

describe('no session', () => {
  test.each([null, '', 'other=1', 'faultline=1', `x${name}=1`, name, `${name}=`, ';;=;', `${name}==`])(
    'in the Cookie header %j',
    async header => {
      expect(await openWith(header)).toBeUndefined()
    },
  )

  test.each([
    '{"email":"owner@example.com"}',
    '[1]',
    '%7B%22email%22%3A%22owner%40example.com%22%7D',
    '%E0%A4%A',
    '*******',
    'Fe26.2*1*a*a*a*a*a*a',
    'x'.repeat(100_000),
  ])('in the value %.40s', async value => {
    expect(await openWith(cookie(value))).toBeUndefined()
  })

  test('when any character of the seal differs', async () => {
    const sealed = await sealedFor('alice@example.com')
    for (let at = 0; at < sealed.length; at++) {
      const flipped = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1)
      expect(await openWith(cookie(flipped))).toBeUndefined()
      expect(await openWith(cookie(sealed.slice(0, at)))).toBeUndefined()
    }
  })

  test('when something is put into any of the eight parts, the empty ones too', async () => {
    const parts = (await sealedFor('alice@example.com')).split('*')
    expect(parts.length).toBe(8)
    for (let at = 0; at < parts.length; at++) {
      const padded = parts.with(at, `${parts[at]}A`).join('*')
      expect(await openWith(cookie(padded))).toBeUndefined()
    }
  })

  test.each(['', '253402300799000', '1'])('when the expiry becomes %j', async expiry => {
    const parts = (await sealedFor('alice@example.com')).split('*')
    expect(await openWith(cookie(parts.with(5, expiry).join('*')))).toBeUndefined()
    expect(await openWith(cookie(parts.toSpliced(5, 1).join('*')))).toBeUndefined()
  })

  test.each(['Fe26.1', 'fe26.2', 'Fe26.2 ', ''])('under the prefix %j', async prefix => {
    const parts = (await sealedFor('alice@example.com')).split('*')
    expect(await openWith(cookie(parts.with(0, prefix).join('*')))).toBeUndefined()
  })

  test.each(['__proto__', 'constructor', 'toString', 'default', ''])('for the password id %j', async id => {
    const parts = (await sealedFor('alice@example.com')).split('*')
    expect(await openWith(cookie(parts.with(1, id).join('*')))).toBeUndefined()
  })

  test('when sealed by another password, even under the id of ours', async () => {
    const other = testConfig({ SESSION_PASSWORD: 'not the password, but with enough characters' })
    const foreign = (await sealedFor('owner@example.com', other)).split('*')
    const [, ourId = ''] = (await sealedFor('owner@example.com')).split('*')
    expect(await openWith(cookie(foreign.join('*')))).toBeUndefined()
    expect(await openWith(cookie(foreign.with(1, ourId).join('*')))).toBeUndefined()
  })

  test('when sealed with the bare password, as other programs do', async () => {
    const { password } = config.session
    expect(await openWith(cookie(await iron.seal(payload(), password, iron.defaults)))).toBeUndefined()
  })

  test('in what was sealed for a sign-in under way, nor the reverse', async () => {
    const signIn = createSeal(config.session, 'sign-in', Date.now)
    const expiresAt = Date.now() + HOUR
    expect(await openWith(cookie(await signIn.close(payload(), expiresAt)))).toBeUndefined()
    expect(await signIn.open(await sealedFor('alice@example.com'))).toBeUndefined()
  })

  test.each([
    ['another version', { v: 2 }],
    ['no version', { v: undefined }],
    ['another purpose', { purpose: 'sign-in' }],
    ['another audience', { aud: 'https://evil.test' }],
    ['no address', { email: undefined }],
    ['an address that is no text', { email: ['owner@example.com'] }],
    ['an address of another domain', { email: 'alice@evil.test' }],
    ['times as text', { exp: '9999999999999' }],
    ['no expiry', { exp: undefined }],
    ['an expiry in the past', { exp: Date.now() - 1 }],
    ['a property too many', { admin: true }],
  ])('in a good seal with %s', async (_, changes) => {
    expect(await openWith(cookie(await forged(payload(changes))))).toBeUndefined()
    expect(await emailOf(cookie(await forged(payload())))).toBe('alice@example.com')
  })

  test('in a good seal whose own expiry has passed', async () => {
    const sealed = cookie(await forged(payload(), Date.now() + 60_000))
    const in59Seconds = createSessions(
      config,
      noCutoffs(() => Date.now() + 59_000),
    )
    const in61Seconds = createSessions(
      config,
      noCutoffs(() => Date.now() + 61_000),
    )
    expect(await in59Seconds.open(sealed)).toBeDefined()
    expect(await in61Seconds.open(sealed)).toBeUndefined()
  })
})

describe('several cookies of our name', () => {
  test('the first that is good counts', async () => {
    const alice = await sealedFor('alice@example.com')
    const bob = await sealedFor('bob@example.com')
    expect(await emailOf(cookie(alice, 'bad'))).toBe('alice@example.com')
    expect(await emailOf(cookie('bad', alice))).toBe('alice@example.com')
    expect(await emailOf(cookie('bad', bob, alice))).toBe('bob@example.com')
  })

  test('only so many are tried', async () => {
    const alice = await sealedFor('alice@example.com')
    expect(await emailOf(cookie('bad', 'bad', 'bad', alice))).toBe('alice@example.com')
    expect(await emailOf(cookie('bad', 'bad', 'bad', 'bad', alice))).toBeUndefined()
  })

  test('other cookies around it do not matter', async () => {
    const alice = await sealedFor('alice@example.com')
    expect(await emailOf(`a=b;${cookie(alice)};c`)).toBe('alice@example.com')
  })
})
