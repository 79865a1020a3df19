import { describe, expect, test } from 'bun:test'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { IdentityUnproven } from '../../server/auth/fault.ts'
import { createOidc } from '../../server/auth/oidc.ts'
import { failureOf, withProvider } from '../support/oidc.ts'
import { newKey, type TestProvider } from '../support/provider.ts'

const here = withProvider()
const { signIn } = here

describe('an id_token', () => {
  const now = () => Math.floor(Date.now() / 1000)

  test.each(['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA'])('signed with %s is taken', async alg => {
    const { key } = here.provider
    here.provider.key = await newKey(alg)
    expect(await signIn()).toEqual({ email: 'alice@example.com', email_verified: true })
    here.provider.key = key
  })

  test.each<[string, Record<string, unknown>]>([
    ['without a nonce', { nonce: undefined }],
    ['with the nonce of another attempt', { nonce: 'other' }],
    ['with a nonce that is no text', { nonce: ['other'] }],
    ['for another client', { aud: 'other' }],
    ['for nobody', { aud: undefined }],
    ['for a longer name', { aud: 'faultline2' }],
    ['for two, without saying to whom it was issued', { aud: ['faultline', 'other'] }],
    ['issued to another client', { azp: 'other' }],
    ['issued to another client, for both', { aud: ['faultline', 'other'], azp: 'other' }],
    ['of another issuer', { iss: 'https://evil.test' }],
    ['of no issuer', { iss: undefined }],
    ['without a subject', { sub: undefined }],
    ['that ended a minute ago', { exp: now() - 60, iat: now() - 120 }],
    ['without an end', { exp: undefined }],
    ['with its end as text', { exp: String(now() + 300) }],
    ['with an end beyond all bounds', { exp: 1e20 }],
    ['without a time of issue', { iat: undefined }],
    ['issued in the future', { iat: now() + 120 }],
    ['issued days ago', { iat: now() - 3 * 86_400 }],
    ['that is not valid yet', { nbf: now() + 120 }],
  ])('%s proves nothing', async (_, claims) => {
    here.provider.claims = claims
    expect(await failureOf(signIn())).toMatchObject({ kind: IdentityUnproven })
  })

  test('of an issuer with a slash, or in http, proves nothing', async () => {
    for (const iss of [`${here.provider.issuer}/`, here.provider.issuer.replace('http:', 'https:')]) {
      here.provider.claims = { iss }
      expect(await failureOf(signIn())).toMatchObject({ kind: IdentityUnproven })
    }
  })

  test('for two is taken when it was issued to us', async () => {
    here.provider.claims = { aud: ['other', 'faultline'], azp: 'faultline' }
    expect(await signIn()).toMatchObject({ email: 'alice@example.com' })
  })

  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

  test.each<[string, NonNullable<TestProvider['idToken']>]>([
    ['without a signature', claims => `${part({ alg: 'none' })}.${part(claims)}.`],
    ['with alg None', claims => `${part({ alg: 'None' })}.${part(claims)}.`],
    ['with an empty signature', (claims, { kid }) => `${part({ alg: 'RS256', kid })}.${part(claims)}.`],
    [
      'signed by another key under the same id',
      async (claims, { kid }) =>
        new SignJWT(claims)
          .setProtectedHeader({ alg: 'RS256', kid })
          .sign((await generateKeyPair('RS256')).privateKey),
    ],
    [
      'signed with the public key as a shared secret',
      (claims, { kid, jwk }) =>
        new SignJWT(claims)
          .setProtectedHeader({ alg: 'HS256', kid })
          .sign(new TextEncoder().encode(JSON.stringify(jwk))),
    ],
    [
      'signed with the client secret',
      claims =>
        new SignJWT(claims)
          .setProtectedHeader({ alg: 'HS256' })
          .sign(new TextEncoder().encode('client-secret'.padEnd(32, '0'))),
    ],
    [
      'that brings its own key',
      async claims => {
        const { privateKey, publicKey } = await generateKeyPair('RS256')
        const jwk = await exportJWK(publicKey)
        return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', jwk }).sign(privateKey)
      },
    ],
    ['of five parts', () => 'a.b.c.d.e'],
    ['that is empty', () => ''],
    ['that is a list', () => `${part({ alg: 'RS256' })}.${part([])}.x`],
  ])('%s proves nothing', async (_, idToken) => {
    here.provider.idToken = idToken
    expect(await failureOf(signIn())).toMatchObject({ kind: IdentityUnproven })
  })

  test('with the e-mail twice counts as it was verified: the last one', async () => {
    here.provider.idToken = async (claims, { privateKey, kid }) => {
      const twice = JSON.stringify(claims).replace('{', '{"email":"owner@example.com",')
      const { CompactSign } = await import('jose')
      return new CompactSign(new TextEncoder().encode(twice))
        .setProtectedHeader({ alg: 'RS256', kid })
        .sign(privateKey)
    }
    expect(await signIn()).toMatchObject({ email: 'alice@example.com' })
  })

  test('may be off by as much as clocks are: thirty seconds, not more', async () => {
    const ahead = (seconds: number) => createOidc(here.config, () => Date.now() + seconds * 1000)
    const short = () => {
      here.provider.claims = { exp: now() }
    }
    short()
    expect(await failureOf(signIn(ahead(20)))).toMatchObject({ kind: 'success' })
    short()
    expect(await failureOf(signIn(ahead(40)))).toMatchObject({
      kind: IdentityUnproven,
      message: expect.stringMatching(/^exp/),
    })
    here.provider.claims = {}
    expect(await failureOf(signIn(ahead(-20)))).toMatchObject({ kind: 'success' })
    expect(await failureOf(signIn(ahead(-40)))).toMatchObject({
      kind: IdentityUnproven,
      message: expect.stringMatching(/^iat/),
    })
  })

  test('never shows up in what is logged of it', async () => {
    here.provider.claims = { aud: 'other', email: 'secret-address@example.com' }
    const { message } = (await failureOf(signIn())) as { message: string }
    expect(message).toBe('aud: check_failed (ERR_JWT_CLAIM_VALIDATION_FAILED)')
  })
})
