import { expect, test } from 'bun:test'
import { ConfigFaults } from '../../server/config/faults.ts'
import { judgeConfig, refuseFaulty } from '../../server/config/partial.ts'

test('whatever is missing, the rest can be examined', () => {
  const { config, faults, faulty } = judgeConfig({})
  expect(config).toMatchObject({ host: '127.0.0.1', oauth: { provider: 'google' } })
  expect(faults.map(({ message }) => message)).toEqual(faults.map(() => 'is missing'))
  expect(faults.map(({ setting }) => setting)).toEqual([...faulty])
})

test('a fault in a file of a secret is one of that secret, and leaves the rest sound', () => {
  const { config, faulty } = judgeConfig({ ALLOWED_DOMAIN: 'acme.org', OAUTH_CLIENT_SECRET_FILE: '/nowhere' })
  expect(faulty).toContain('OAUTH_CLIENT_SECRET')
  expect(config?.allowedDomain).toBe('acme.org')
})

test('BOARD_FILE is a setting of its own, not the file of another', () => {
  expect(judgeConfig({ BOARD_FILE: '/boards/own.svg' }).config?.boardFile).toBe('/boards/own.svg')
})

test('what init was told has to hold, what it was not told may still come', () => {
  expect(() => refuseFaulty({ OWNER_EMAIL: 'me@acme.org' })).not.toThrow()
  expect(() => refuseFaulty({ PUBLIC_URL: 'http://f.acme.org' })).toThrow(ConfigFaults)
})
