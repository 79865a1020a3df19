import { afterEach, beforeAll, expect } from 'bun:test'
import { type TestApp, testApp } from './app.ts'
import { type Browser, browser } from './browser.ts'
import { whenAllEnded } from './end.ts'
import { healthy } from './health.ts'
import { startTestProvider, type TestProvider } from './provider.ts'

interface Answer {
  user: { email: string; is_owner: boolean } | null
}

let shared: Promise<{ provider: TestProvider; app: TestApp }> | undefined

async function startBoth() {
  const provider = await startTestProvider()
  return { provider, app: await testApp({ env: { OAUTH_ISSUER: provider.issuer } }) }
}
whenAllEnded(async () => {
  await (await shared)?.app.stop()
  await (await shared)?.provider.stop()
})

/** For all tests of signing in: the product, and beside it a provider that does as the test says. */
export function besideProvider() {
  let provider: TestProvider
  let app: TestApp

  beforeAll(async () => {
    shared ??= startBoth()
    ;({ provider, app } = await shared)
  })
  afterEach(async () => {
    provider.reset()
    await healthy(app.origin)
  })

  const newBrowser = () => browser((path, init) => fetch(app.origin + path, init))

  return {
    get app() {
      return app
    },
    get provider() {
      return provider
    },
    newBrowser,
    /** Signs in as the claims say; gives the answer to the callback. */
    async arrive(claims: Record<string, unknown>) {
      provider.claims = claims
      const person = newBrowser()
      const response = await person.signIn('/auth/test')
      return { person, response, html: await response.text() }
    },
  }
}

export const isIn = async (person: Browser) => (await person.get('/api/defects')).status === 200

export const userOf = async (person: Browser) =>
  ((await (await person.get('/api/session')).json()) as Answer).user

export async function expectRefused({ person, response }: { person: Browser; response: Response }) {
  expect(response.status).toBe(403)
  expect(response.headers.get('content-type')).toStartWith('text/html')
  expect([...person.cookies]).toEqual([])
  expect((await person.get('/api/defects')).status).toBe(401)
}

export async function expectOver(person: Browser, response: Response) {
  expect(response.status).toBe(400)
  expect(await response.text()).toContain('href="/auth/test"')
  expect(person.cookies.has('faultline')).toBe(false)
}
