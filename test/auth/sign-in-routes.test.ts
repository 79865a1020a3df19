import { expect, test } from 'bun:test'
import { assets } from '../../server/assets.ts'
import { setContext } from '../../server/auth/guards.ts'
import { createOidc } from '../../server/auth/oidc.ts'
import { authRoutes } from '../../server/auth/routes.ts'
import { createSessions } from '../../server/auth/session.ts'
import { createRenderer } from '../../server/http/document.ts'
import { readBundle } from '../../server/http/files.ts'
import { silentLog } from '../../server/log.ts'
import { browser } from '../support/browser.ts'
import { testConfig } from '../support/config.ts'
import { startTestProvider } from '../support/provider.ts'

test('a HEAD on the callback burns no code, even where no gate stands before the routes', async () => {
  const provider = await startTestProvider()
  const config = testConfig({ OAUTH_ISSUER: provider.issuer })
  const renderPage = createRenderer(readBundle(assets.web).template)
  const sessions = createSessions(config)
  const routes = authRoutes({ config, sessions, renderPage, oidc: createOidc(config), log: silentLog })
  const person = browser(async (path, init) => {
    const request = new Request(config.publicUrl + path, init)
    const { search } = new URL(request.url)
    setContext(request, { requestId: 'test', inApi: false, search, visitor: undefined, body: undefined })
    return routes.fetch(request)
  })
  const callback = await person.begin('/auth/test')
  await person.get(callback, { method: 'HEAD' })
  expect(provider.count('token')).toBe(0)
  expect((await person.get(callback)).status).toBe(302)
  await provider.stop()
})
