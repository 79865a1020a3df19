import { describe, expect, test } from 'bun:test'
import { type Attempt, createAttempts } from '../../server/auth/attempt.ts'
import { createSeal } from '../../server/auth/seal.ts'
import { createSessions } from '../../server/auth/session.ts'
import { testConfig } from '../support/config.ts'

const config = testConfig()
const MINUTE = 60_000
const generateState = () => Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url')

const attempt = (changes: Partial<Attempt> = {}): Attempt => ({
  state: generateState(),
  nonce: generateState(),
  verifier: generateState(),
  returnTo: '/sections/usb-port',
  ...changes,
})

async function begun(mine: Attempt, by = config) {
  const setCookie = await createAttempts(by).begin(mine, null)
  return setCookie.at(-1)!.split(';', 1)[0]!
}

describe('an attempt to sign in', () => {
  test('is given back once, to the browser that began it', async () => {
    const mine = attempt()
    const cookie = await begun(mine)
    const attempts = createAttempts(config)
    expect(await attempts.take(mine.state, cookie)).toMatchObject(mine)
    expect(await attempts.take(mine.state, cookie)).toBeUndefined()
  })

  test('is given to one of those who ask at the same time', async () => {
    const mine = attempt()
    const cookie = await begun(mine)
    const attempts = createAttempts(config)
    const taken = await Promise.all(Array.from({ length: 20 }, () => attempts.take(mine.state, cookie)))
    expect(taken.filter(Boolean).length).toBe(1)
  })

  test('stays used up until it would have expired anyway', async () => {
    let now = Date.now()
    const attempts = createAttempts(config, () => now)
    const mine = attempt()
    const cookie = (await attempts.begin(mine, null)).at(-1)!.split(';', 1)[0]!
    expect(await attempts.take(mine.state, cookie)).toBeDefined()
    for (let minutes = 0; minutes < 12; minutes++) {
      const other = attempt()
      await attempts.take(other.state, await begun(other))
      expect(await attempts.take(mine.state, cookie)).toBeUndefined()
      now += MINUTE
    }
  })

  test('ends after ten minutes', async () => {
    let now = Date.now()
    const attempts = createAttempts(config, () => now)
    const mine = attempt()
    const [setCookie = ''] = await attempts.begin(mine, null)
    expect(setCookie).toContain('Max-Age=600;')
    now += 10 * MINUTE
    expect(await attempts.take(mine.state, setCookie.split(';', 1)[0]!)).toBeUndefined()
    now -= 1
    expect(await attempts.take(mine.state, setCookie.split(';', 1)[0]!)).toBeDefined()
  })

  test('has the strictest attributes on https', async () => {
    const [setCookie = ''] = await createAttempts(config).begin(attempt(), null)
    const [pair, ...attributes] = setCookie.split('; ')
    expect(pair).toMatch(/^__Host-faultline-tx-[\w-]{10}=Fe26\.2\*/)
    expect(attributes.sort()).toEqual(['HttpOnly', 'Max-Age=600', 'Path=/', 'SameSite=Lax', 'Secure'])
  })

  test('with a long page to return to is in two cookies, of which neither is one by itself', async () => {
    const mine = attempt({ returnTo: `/?q=${'x'.repeat(4_092)}` })
    const pairs = (await createAttempts(config).begin(mine, null)).map(cookie => cookie.split(';', 1)[0]!)
    expect(pairs.length).toBe(2)
    const [first = '', second = ''] = pairs
    const attempts = createAttempts(config)
    for (const cookies of [first, second, `${first}; ${second}x`, `${first}x; ${second}`]) {
      expect(await attempts.take(mine.state, cookies)).toBeUndefined()
    }
    const planted = `${second.split('=', 1)}=planted`
    expect(await attempts.take(mine.state, `${planted}; ${second}; ${first}`)).toMatchObject(mine)
    expect(await attempts.take(mine.state, `${second}; ${first}`)).toBeUndefined()
    expect(attempts.end(mine, `${first}; ${second}`).length).toBe(2)
  })

  test('gives nothing away', async () => {
    const mine = attempt()
    const cookie = await begun(mine)
    for (const secret of [mine.state, mine.nonce, mine.verifier]) expect(cookie).not.toContain(secret)
  })
})

describe('no attempt is found', () => {
  test.each([undefined, '', 'x', 'x'.repeat(43), '__proto__', `${'x'.repeat(42)}\n`])(
    'for the state %j',
    async state => {
      expect(await createAttempts(config).take(state, await begun(attempt()))).toBeUndefined()
    },
  )

  test('for a state that differs where the name of the cookie does not', async () => {
    const mine = attempt()
    const cookie = await begun(mine)
    const other = mine.state.slice(0, -1) + (mine.state.endsWith('A') ? 'E' : 'A')
    expect(await createAttempts(config).take(other, cookie)).toBeUndefined()
    expect(await createAttempts(config).take(mine.state, cookie)).toBeDefined()
  })

  test.each(['', '{}', '%E0%A4%A', 'Fe26.2**', 'Fe26.2*1*a*a*a*a*a*a', 'x'.repeat(5_000)])(
    'in the cookie %.20j',
    async value => {
      const mine = attempt()
      const [name] = (await begun(mine)).split('=')
      expect(await createAttempts(config).take(mine.state, `${name}=${value}`)).toBeUndefined()
    },
  )

  test('in one cut off or changed anywhere', async () => {
    const mine = attempt()
    const cookie = await begun(mine)
    const attempts = createAttempts(config)
    for (let at = cookie.indexOf('=') + 1; at < cookie.length; at++) {
      const changed = cookie.slice(0, at) + (cookie[at] === 'A' ? 'B' : 'A') + cookie.slice(at + 1)
      expect(await attempts.take(mine.state, changed)).toBeUndefined()
      expect(await attempts.take(mine.state, cookie.slice(0, at))).toBeUndefined()
    }
    expect(await attempts.take(mine.state, cookie)).toBeDefined()
  })

  test('in one begun for another provider, at another address, under another password', async () => {
    const mine = attempt()
    const others = [
      { OAUTH_PROVIDER: 'other' },
      { PUBLIC_URL: 'https://other.example.com' },
      { SESSION_PASSWORD: 'not the password, but with enough characters' },
    ]
    for (const env of others) {
      expect(
        await createAttempts(config).take(mine.state, await begun(mine, testConfig(env))),
      ).toBeUndefined()
    }
  })

  test('in a session, whatever its cookie is called', async () => {
    const mine = attempt()
    const [name] = (await begun(mine)).split('=')
    const [pair = ''] = (await createSessions(config).begin('alice@example.com')).split(';')
    const value = pair.slice(pair.indexOf('=') + 1)
    expect(await createAttempts(config).take(mine.state, `${name}=${value}`)).toBeUndefined()
  })

  test('in a good seal of another version', async () => {
    const mine = attempt()
    const [name] = (await begun(mine)).split('=')
    const exp = Date.now() + MINUTE
    const seal = createSeal(config.session, 'sign-in', Date.now)
    const rest = { purpose: 'sign-in', aud: config.publicUrl, provider: 'test', ...mine, exp }
    const [old, current] = [
      await seal.close({ v: 0, ...rest }, exp),
      await seal.close({ v: 1, ...rest }, exp),
    ]
    expect(await createAttempts(config).take(mine.state, `${name}=${old}`)).toBeUndefined()
    expect(await createAttempts(config).take(mine.state, `${name}=${current}`)).toBeDefined()
  })
})

describe('several attempts in one browser', () => {
  test('are not in each other’s way', async () => {
    const attempts = createAttempts(config)
    const [one, two] = [attempt({ returnTo: '/one' }), attempt({ returnTo: '/two' })]
    const cookies = `${await begun(one)}; ${await begun(two)}`
    expect((await attempts.take(two.state, cookies))?.returnTo).toBe('/two')
    expect((await attempts.take(one.state, cookies))?.returnTo).toBe('/one')
  })

  test('are four at most, the oldest giving way, and fit into a request', async () => {
    const attempts = createAttempts(config)
    const jar = new Map<string, string>()
    for (let count = 0; count < 50; count++) {
      const header = [...jar].map(pair => pair.join('=')).join('; ')
      expect(header.length).toBeLessThan(7_000)
      for (const setCookie of await attempts.begin(attempt({ returnTo: `/${'x'.repeat(511)}` }), header)) {
        expect(setCookie.length).toBeLessThan(4_096)
        const [pair = ''] = setCookie.split(';', 1)
        const [name = '', value = ''] = pair.split('=')
        if (setCookie.includes('Max-Age=0')) jar.delete(name)
        else jar.set(name, value)
      }
    }
    expect(jar.size).toBe(4)
  })

  test('with long pages to return to fit into a request, and the newest is always kept', async () => {
    const attempts = createAttempts(config)
    const jar = new Map<string, string>()
    for (let count = 0; count < 10; count++) {
      const header = () => [...jar].map(pair => pair.join('=')).join('; ')
      expect(header().length).toBeLessThan(7_000)
      const mine = attempt({ returnTo: `/?q=${'x'.repeat(count % 3 ? 4_092 : 40)}` })
      for (const setCookie of await attempts.begin(mine, header())) {
        expect(setCookie.length).toBeLessThan(4_096)
        const [name = '', value = ''] = setCookie.split(';', 1)[0]!.split('=')
        if (setCookie.includes('Max-Age=0')) jar.delete(name)
        else jar.set(name, value)
      }
      expect(await attempts.take(mine.state, header())).toMatchObject(mine)
    }
  })

  test('do not end what is not theirs', async () => {
    const setCookie = await createAttempts(config).begin(attempt(), '__Host-faultline=x; other-tx-1=y')
    expect(setCookie.length).toBe(1)
  })
})
