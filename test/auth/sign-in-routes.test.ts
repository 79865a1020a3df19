import { expect, test } from 'bun:test'
import { assets } from '../../server/assets.ts'
import { letIn } from '../../server/auth/guards.ts'
import { createOidc } from '../../server/auth/oidc.ts'
import { authRoutes } from '../../server/auth/routes.ts'
import { createWeb } from '../../server/http/files.ts'
import { silentLog } from '../../server/log.ts'
import { browser } from '../support/browser.ts'
import { testConfig } from '../support/config.ts'
import { startTestProvider } from '../support/provider.ts'

test('a HEAD on the callback burns no code, even where no gate stands before the routes', async () => {
  const provider = await startTestProvider()
  const config = testConfig({ OAUTH_ISSUER: provider.issuer })
  const renderPage = createWeb(assets.web).render
  const routes = authRoutes({ config, renderPage, oidc: createOidc(config), log: silentLog })
  const person = browser(async (path, init) => {
    const request = new Request(config.publicUrl + path, init)
    letIn(request, { requestId: 'test' })
    return routes.fetch(request)
  })
  const callback = await person.begin('/auth/test')
  await person.get(callback, { method: 'HEAD' })
  expect(provider.count('token')).toBe(0)
  expect((await person.get(callback)).status).toBe(302)
  await provider.stop()
})
