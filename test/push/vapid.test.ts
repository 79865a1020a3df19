import { expect, test } from 'bun:test'
import type { ConfigFaults } from '../../server/config/faults.ts'
import { readPushConfig } from '../../server/config/read.ts'
import { vapidPair } from '../support/push-service.ts'

const pair = vapidPair()
const faultsOf = (VAPID_PUBLIC_KEY: string, SIGNING_SECRET: string): string[] => {
  try {
    readPushConfig({ OWNER_EMAIL: 'owner@example.com', VAPID_PUBLIC_KEY, SIGNING_SECRET })
    return []
  } catch (error) {
    return (error as ConfigFaults).faults.map(fault => fault.setting)
  }
}

test('a VAPID pair that belongs together is taken', () => {
  expect(faultsOf(pair.publicKey, pair.privateKey)).toEqual([])
})

test("another pair's private key is refused before anything is sent", () => {
  expect(faultsOf(pair.publicKey, vapidPair().privateKey)).toEqual(['SIGNING_SECRET'])
})

test.each([
  ['a padded public key', `${pair.publicKey}=`, pair.privateKey, 'VAPID_PUBLIC_KEY'],
  ['a padded private key', pair.publicKey, `${pair.privateKey}=`, 'SIGNING_SECRET'],
  ['a short public key', pair.publicKey.slice(0, -2), pair.privateKey, 'VAPID_PUBLIC_KEY'],
  ['the private key zero', pair.publicKey, 'A'.repeat(43), 'SIGNING_SECRET'],
  [
    'a private key beyond the curve',
    pair.publicKey,
    Buffer.alloc(32, 255).toString('base64url'),
    'SIGNING_SECRET',
  ],
  ['the keys exchanged', pair.privateKey, pair.publicKey, 'VAPID_PUBLIC_KEY'],
])('%s is refused', (_, publicKey, privateKey, name) => {
  expect(faultsOf(publicKey, privateKey)).toContain(name)
})
