import { describe, expect, test } from 'bun:test'
import { admit, isOwner } from '../../server/auth/identity.ts'
import { noAddresses, outsideAddresses } from '../support/addresses.ts'

const config = { allowedDomain: 'example.com', ownerEmail: 'owner@example.com' }
const verified = (email: unknown) => admit({ email, email_verified: true }, config)

describe('who may enter', () => {
  test.each([
    ['alice@example.com', 'alice@example.com'],
    ['alice+tag@example.com', 'alice+tag@example.com'],
    ['owner+1@example.com', 'owner+1@example.com'],
    ['o.wner@example.com', 'o.wner@example.com'],
    ['ALICE@EXAMPLE.COM', 'alice@example.com'],
    ["o'neil_{x}~!#$%&*/=?^`|-@example.com", "o'neil_{x}~!#$%&*/=?^`|-@example.com"],
    [`${'a'.repeat(64)}@example.com`, `${'a'.repeat(64)}@example.com`],
  ])('%s enters as %s', (email, stored) => {
    expect(verified(email)).toEqual({ email: stored })
  })

  test.each(outsideAddresses)('%s is outside the domain', email => {
    expect(verified(email)).toEqual({ refused: 'wrong_domain' })
  })

  test.each([...noAddresses, [['alice@example.com']], { toString: () => 'alice@example.com' }, 42, true])(
    '%j is no address',
    email => {
      expect(verified(email)).toEqual({ refused: 'malformed' })
    },
  )

  test.each([undefined, null, ''])('%p is no e-mail at all', email => {
    expect(verified(email)).toEqual({ refused: 'no_email' })
  })

  test.each([false, null, 'true', 'false', 1, {}, [[true]]])('email_verified %j is not verified', value => {
    const claims = { email: 'alice@example.com', email_verified: value }
    expect(admit(claims, config)).toEqual({ refused: 'unverified' })
  })

  test('a provider that does not say whether the address is verified is told apart', () => {
    expect(admit({ email: 'alice@example.com' }, config)).toEqual({ refused: 'verification_missing' })
  })

  test('the hosted-domain claim changes nothing', () => {
    const outsider = { email: 'x@gmail.com', email_verified: true, hd: 'example.com' }
    const colleague = { email: 'alice@example.com', email_verified: true, hd: 'evil.test' }
    expect(admit(outsider, config)).toEqual({ refused: 'wrong_domain' })
    expect(admit(colleague, config)).toEqual({ email: 'alice@example.com' })
  })
})

describe('who owns', () => {
  test.each(['owner@example.com', 'Owner@Example.COM'])('%s is the owner', email => {
    expect(isOwner(email, config)).toBe(true)
  })

  test('an owner configured in capitals is the same owner', () => {
    expect(isOwner('owner@example.com', { ownerEmail: 'OWNER@example.com' })).toBe(true)
  })

  test.each([
    'owner+1@example.com',
    'o.wner@example.com',
    'owner@example.com ',
    'owner@evilexample.com',
    'ow\u200bner@example.com',
    '',
  ])('%j is not', email => {
    expect(isOwner(email, config)).toBe(false)
  })

  test.each([
    ['\u212aim@kiosk.example', 'kim@kiosk.example'],
    ['Kim@\u212aiosk.example', 'kim@kiosk.example'],
    ['lıam@kiosk.example', 'liam@kiosk.example'],
    ['L\u0130AM@kiosk.example', 'liam@kiosk.example'],
  ])('%s does not become the owner %s by folding', (email, ownerEmail) => {
    expect(isOwner(email, { ownerEmail })).toBe(false)
    expect(admit({ email, email_verified: true }, { allowedDomain: 'kiosk.example' })).toEqual({
      refused: 'malformed',
    })
  })

  test('nor does a configured address or domain with letters of other scripts', () => {
    expect(isOwner('kim@kiosk.example', { ownerEmail: '\u212aim@kiosk.example' })).toBe(false)
    const claims = { email: 'kim@kiosk.example', email_verified: true }
    expect(admit(claims, { allowedDomain: '\u212aiosk.example' })).toEqual({ refused: 'wrong_domain' })
  })
})
