import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
// @ts-expect-error the package ships no types
import Provider from 'oidc-provider'
import { type Browser, browser, locationOf } from './browser.ts'

export interface CertifiedProvider {
  issuer: string
  /** Walks its login and consent pages as this account; gives where it sends the browser in the end. */
  signIn(address: string, account: string): Promise<URL>
  stop(): void
}

/** `oidc-provider`, which is certified, with its own pages and one client. */
export async function startCertifiedProvider(redirectUri: string): Promise<CertifiedProvider> {
  const server = createServer((request, response) => handle(request, response))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = new Provider(issuer, {
    clients: [{ client_id: 'faultline', client_secret: 'client-secret', redirect_uris: [redirectUri] }],
    claims: { email: ['email', 'email_verified'] },
    ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 60, IdToken: 60 },
    features: { claimsParameter: { enabled: true } },
    findAccount: (_: unknown, sub: string) => ({
      accountId: sub,
      claims: () => ({ sub, email: `${sub}@example.com`, email_verified: sub !== 'unverified' }),
    }),
  })
  const handle = provider.callback()

  return {
    issuer,
    async signIn(address, account) {
      const person = browser((path, init) => fetch(path.startsWith('/') ? issuer + path : path, init))
      let location = locationOf(await person.get(address))
      while (new URL(location, issuer).origin === issuer) location = await step(person, location, account)
      return new URL(location)
    },
    stop: () => void server.close(),
  }
}

async function step(person: Browser, location: string, login: string): Promise<string> {
  const page = await person.get(location)
  const next = page.headers.get('location')
  if (next) return next
  const [, prompt = ''] = /name="prompt" value="(\w+)"/.exec(await page.text()) ?? []
  const body = new URLSearchParams({ prompt, login, password: 'any' })
  return locationOf(await person.get(location, { method: 'POST', body }))
}
