import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { startDemoProvider } from '../../server/demo/provider.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { freePort } from '../support/postgres.ts'
import { inChromium, launch } from './support.ts'

inChromium('signing in to the demo', () => {
  let provider: Awaited<ReturnType<typeof startDemoProvider>>
  let app: TestApp
  let chrome: Browser
  let context: BrowserContext
  let page: Page
  const complaints: string[] = []

  beforeAll(async () => {
    const port = await freePort()
    const publicUrl = `http://127.0.0.1:${port}`
    provider = await startDemoProvider({
      allowedDomain: 'example.com',
      clientId: 'faultline',
      clientSecret: 'client-secret',
      redirectUri: `${publicUrl}/auth/demo/callback`,
    })
    app = await testApp({
      env: {
        PUBLIC_URL: publicUrl,
        PORT: String(port),
        OAUTH_PROVIDER: 'demo',
        OAUTH_ISSUER: provider.issuer,
      },
    })
    chrome = await launch()
    context = await chrome.newContext({ baseURL: publicUrl })
    page = await context.newPage()
    page.on('console', message => {
      if (/Content Security Policy/.test(message.text())) complaints.push(message.text())
    })
  })

  afterAll(async () => {
    await chrome?.close()
    await app?.stop()
    await provider?.stop()
  })

  const choose = (name: string) => page.getByRole('link', { name }).click()
  const heading = () => page.getByRole('heading', { level: 1 }).textContent()

  test('the outsider is told why not, and the colleague then enters where they wanted to', async () => {
    await page.goto('/sections/usb-port')
    expect(new URL(page.url()).pathname).toBe('/login')
    await page.getByRole('link', { name: 'Sign in with Demo' }).click()

    await choose('outsider@elsewhere.example')
    expect(await heading()).toBe('You cannot enter with this account')
    expect(await page.getByText('outsider@elsewhere.example').isVisible()).toBe(true)
    expect((await context.request.get('/api/defects')).status()).toBe(401)

    await page.getByRole('link', { name: 'Try another account' }).click()
    await choose('colleague@example.com')
    await page.waitForURL('**/sections/usb-port')
    const session = await (await context.request.get('/api/session')).json()
    expect(session.user).toEqual({ email: 'colleague@example.com', is_owner: false })

    const cookies = await context.cookies(page.url())
    expect(cookies.map(({ name }) => name)).toEqual(['faultline'])
    expect(cookies[0]).toMatchObject({ httpOnly: true, sameSite: 'Lax', path: '/' })
  })

  test('whoever cancels can start again', async () => {
    await context.clearCookies()
    await page.goto('/login')
    await page.getByRole('link', { name: 'Sign in with Demo' }).click()
    await choose('Cancel')
    expect(await heading()).toBe('Sign-in was cancelled')
    await page.getByRole('link', { name: 'Start again' }).click()
    await choose('owner@example.com')
    await page.waitForURL(`${app.env.PUBLIC_URL}/`)
    expect((await (await context.request.get('/api/session')).json()).user.is_owner).toBe(true)
  })

  test('none of these pages offends its own content security policy', () => {
    expect(complaints).toEqual([])
  })
})
