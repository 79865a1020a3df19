import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { createOidc } from '../../server/auth/oidc.ts'
import type { Config } from '../../server/config/read.ts'
import { startDemoProvider } from '../../server/demo/provider.ts'
import { locationOf } from '../support/browser.ts'
import { testConfig } from '../support/config.ts'

const client = {
  allowedDomain: 'example.com',
  clientId: 'faultline-demo',
  clientSecret: 'demo secret: 100 %',
  redirectUri: 'http://localhost:3000/auth/demo/callback',
}
let provider: Awaited<ReturnType<typeof startDemoProvider>>
let config: Config

beforeAll(async () => {
  provider = await startDemoProvider(client)
  config = testConfig({
    PUBLIC_URL: 'http://localhost:3000',
    OAUTH_PROVIDER: 'demo',
    OAUTH_ISSUER: provider.issuer,
    OAUTH_CLIENT_ID: client.clientId,
    OAUTH_CLIENT_SECRET: client.clientSecret,
  })
})
afterAll(() => provider.stop())

const visit = (address: string) => fetch(address, { redirect: 'manual' })

async function chosen(authorize: string, person: string): Promise<URLSearchParams> {
  const page = await (await visit(authorize)).text()
  const links = [...page.matchAll(/href="(\/continue[^"]+)"/g)].map(([, href = '']) =>
    href.replaceAll('&amp;', '&'),
  )
  const link = links.find(href => href.endsWith(`person=${person}`))
  return new URL(locationOf(await visit(provider.issuer + link))).searchParams
}

async function signInAs(person: string) {
  const oidc = createOidc(config)
  const { location, attempt } = await oidc.start({ returnTo: '/', chooseAccount: false })
  const answer = await chosen(location, person)
  return oidc.finish(attempt, { code: answer.get('code') ?? '', iss: answer.get('iss') ?? undefined })
}

async function freshCode() {
  const { location, attempt } = await createOidc(config).start({ returnTo: '/', chooseAccount: false })
  return { code: (await chosen(location, 'owner')).get('code') ?? '', verifier: attempt.verifier }
}

function token(form: Record<string, string>, credentials = `${client.clientId}:${client.clientSecret}`) {
  const [id = '', ...secret] = credentials.split(':')
  return fetch(`${provider.issuer}/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      redirect_uri: client.redirectUri,
      client_id: id,
      client_secret: secret.join(':'),
      ...form,
    }),
  })
}

describe('the demo provider', () => {
  test.each([
    ['owner', 'owner@example.com'],
    ['colleague', 'colleague@example.com'],
    ['outsider', 'outsider@elsewhere.example'],
  ])('signs in the %s through the same code as any provider', async (person, email) => {
    expect(await signInAs(person)).toEqual({ email, email_verified: true })
  })

  test('shows whom one can be, under a strict policy and without scripts', async () => {
    const { location } = await createOidc(config).start({ returnTo: '/', chooseAccount: true })
    const response = await visit(location)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
    const html = await response.text()
    for (const email of ['owner@example.com', 'colleague@example.com', 'outsider@elsewhere.example']) {
      expect(html).toContain(email)
    }
    expect(html).not.toMatch(/<script|style=|<style/)
  })

  test('lets people go back without', async () => {
    const { location, attempt } = await createOidc(config).start({ returnTo: '/', chooseAccount: false })
    const answer = await chosen(location, 'nobody')
    expect(Object.fromEntries(answer)).toEqual({
      error: 'access_denied',
      state: attempt.state,
      iss: provider.issuer,
    })
  })

  test('shows what it was called with only as text', async () => {
    const { location } = await createOidc(config).start({ returnTo: '/', chooseAccount: false })
    const html = await (await visit(`${location}&x=%22%3E%3Cscript%3Ealert(1)%3C/script%3E`)).text()
    expect(html).not.toContain('<script>')
  })

  test.each([
    ['client_id', 'other'],
    ['redirect_uri', 'https://evil.test/callback'],
    ['redirect_uri', `${client.redirectUri}/x`],
  ])('sends nobody anywhere for a foreign %s', async (name, value) => {
    for (const path of ['/authorize', '/continue']) {
      const url = new URL((await createOidc(config).start({ returnTo: '/', chooseAccount: false })).location)
      url.pathname = path
      url.searchParams.set('person', 'owner')
      url.searchParams.set(name, value)
      const response = await visit(url.href)
      expect(response.status).toBe(400)
      expect(response.headers.get('location')).toBeNull()
    }
  })

  test.each([
    ['response_type', 'token'],
    ['code_challenge_method', 'plain'],
    ['code_challenge', 'short'],
    ['scope', 'email'],
  ])('refuses another %s', async (name, value) => {
    const url = new URL((await createOidc(config).start({ returnTo: '/', chooseAccount: false })).location)
    url.searchParams.set(name, value)
    const answer = new URL(locationOf(await visit(url.href))).searchParams
    expect(answer.get('error')).toBe('invalid_request')
    expect(answer.has('code')).toBe(false)
  })

  test('takes a code once', async () => {
    const { code, verifier } = await freshCode()
    expect((await token({ code, code_verifier: verifier })).status).toBe(200)
    const again = await token({ code, code_verifier: verifier })
    expect([again.status, await again.json()]).toEqual([400, { error: 'invalid_grant' }])
  })

  test('takes no code with the wrong verifier, and not again with the right one', async () => {
    const { code, verifier } = await freshCode()
    expect((await token({ code, code_verifier: 'wrong' })).status).toBe(400)
    expect((await token({ code, code_verifier: verifier })).status).toBe(400)
  })

  test.each(['faultline-demo:wrong', 'faultline-demo:', 'other:demo secret: 100 %'])(
    'gives no token to the client %s',
    async credentials => {
      const { code, verifier } = await freshCode()
      const answer = await token({ code, code_verifier: verifier }, credentials)
      expect([answer.status, await answer.json()]).toEqual([401, { error: 'invalid_client' }])
      expect((await token({ code, code_verifier: verifier })).status).toBe(200)
    },
  )

  test('listens on loopback, under its own name alone', async () => {
    const { port, hostname } = new URL(provider.issuer)
    expect(hostname).toBe('127.0.0.1')
    const rebound = await fetch(`${provider.issuer}/keys`, { headers: { host: `evil.test:${port}` } })
    expect(rebound.status).toBe(421)
  })

  test('does not start for a client that is elsewhere', async () => {
    const elsewhere = startDemoProvider({
      ...client,
      redirectUri: 'https://faultline.example.com/auth/demo/callback',
    })
    await expect(elsewhere).rejects.toThrow('loopback')
  })

  test('cannot be reached once it was stopped', async () => {
    const brief = await startDemoProvider(client)
    expect((await visit(`${brief.issuer}/keys`)).status).toBe(200)
    await brief.stop()
    await expect(visit(`${brief.issuer}/keys`)).rejects.toThrow()
  })

  test('is out of reach of the server: no file of it imports the provider', async () => {
    const root = `${import.meta.dir}/../../server`
    const outside = [...new Bun.Glob('**/*.ts').scanSync(root)].filter(path => !path.startsWith('demo/'))
    const importing = outside.filter(path =>
      /from '[^']*demo\/provider/.test(readFileSync(`${root}/${path}`, 'utf8')),
    )
    expect(importing).toEqual([])
  })
})
