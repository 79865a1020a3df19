import { afterAll, beforeAll, beforeEach } from 'bun:test'
import { createOidc, type Oidc } from '../../server/auth/oidc.ts'
import type { Config } from '../../server/config/read.ts'
import { locationOf } from './browser.ts'
import { testConfig } from './config.ts'
import { startTestProvider, type TestProvider } from './provider.ts'

export const wish = { returnTo: '/', chooseAccount: false }

/** For all tests of one file: a provider that does as the test says, and the exchange with it, without a server. */
export function withProvider() {
  let provider: TestProvider
  let config: Config

  beforeAll(async () => {
    provider = await startTestProvider()
    config = testConfig({ OAUTH_ISSUER: provider.issuer })
  })
  beforeEach(() => provider.reset())
  afterAll(() => provider.stop())

  return {
    get provider() {
      return provider
    },
    get config() {
      return config
    },
    async signIn(oidc: Oidc = createOidc(config)) {
      const { location, attempt } = await oidc.start(wish)
      const answer = new URL(locationOf(await fetch(location, { redirect: 'manual' }))).searchParams
      return oidc.finish(attempt, { code: answer.get('code') ?? '', iss: answer.get('iss') ?? undefined })
    },
  }
}

export const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    value => ({ kind: 'success', value }),
    error => ({ kind: error.constructor, message: error.message as string, status: error.status as unknown }),
  )
