import { describe } from 'bun:test'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
} from 'playwright-core'
import type { TestApp } from '../support/app.ts'
import { whenAllEnded } from '../support/end.ts'

/** Chromium without its windows, which are half of the work of opening a page. */
const SHELL = '/usr/bin/chromium-headless-shell'
const CHROMIUM = '/usr/bin/chromium'
const absent = [SHELL, CHROMIUM].filter(path => !existsSync(path))
const screens = join(import.meta.dir, '../../test-output/screens')

/** Tests that need a real browser; without one they count as skipped and say why. */
export function inChromium(name: string, tests: () => void): void {
  describe.skipIf(absent.length > 0)(
    `${name}${absent.length ? ` (skipped: no ${absent.join(', no ')})` : ''}`,
    tests,
  )
}

/** One for all files of a process: closing it closes what was opened by it. */
export async function launch(): Promise<Browser> {
  shared ??= launchAlone()
  return lent(await shared)
}
let shared: Promise<Browser> | undefined
whenAllEnded(async () => (await shared)?.close())

function lent(browser: Browser): Browser {
  const contexts: BrowserContext[] = []
  return Object.assign(Object.create(browser) as Browser, {
    async newContext(options?: BrowserContextOptions) {
      const context = await browser.newContext(options)
      contexts.push(context)
      return context
    },
    async close() {
      for (const context of contexts) await context.close()
    },
  })
}

export const launchAlone = (...more: string[]): Promise<Browser> => start({ more })

/** The shell shows no notifications and keeps no pages in memory for going back to them, as people's browsers do. */
export const launchWhole = (): Promise<Browser> =>
  start({ executablePath: CHROMIUM, ignoreDefaultArgs: ['--disable-back-forward-cache'] })

function start({ executablePath = SHELL, ignoreDefaultArgs = [] as string[], more = [] as string[] }) {
  return chromium.launch({
    executablePath,
    timeout: 100_000,
    ignoreDefaultArgs,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      ...more,
    ],
  })
}

export const desktop = { viewport: { width: 1280, height: 800 } }
export const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }

export interface Visit {
  page: Page
  context: BrowserContext
  /** what the page complained about or fetched from elsewhere; empty when all is well */
  complaints: string[]
}

/** A person's browser, signed in (or not, without an e-mail), with the page open. */
export async function visit(
  browser: Browser,
  app: TestApp,
  email: string | undefined,
  options: BrowserContextOptions & {
    path?: string
    prepare?: (context: BrowserContext) => Promise<unknown>
  } = {},
): Promise<Visit> {
  const { path = '/', prepare, ...contextOptions } = options
  const context = await browser.newContext({ ...desktop, reducedMotion: 'reduce', ...contextOptions })
  context.setDefaultTimeout(60_000)
  if (email) await signIn(context, app, email)
  await prepare?.(context)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', error => complaints.push(String(error)))
  page.on('console', message => {
    if (message.type() === 'error' && !/Failed to load resource/.test(message.text()))
      complaints.push(message.text())
  })
  page.on('request', request => {
    if (!request.url().startsWith(app.origin)) complaints.push(`foreign request: ${request.url()}`)
  })
  await page.goto(app.origin + path)
  return { page, context, complaints }
}

export async function signIn(context: BrowserContext, app: TestApp, email: string): Promise<void> {
  await context.addCookies([await session(app, email)])
}

/** A session's cookie as browsers take it. */
export async function session(app: TestApp, email: string) {
  const [name = '', value = ''] = (await app.cookie(email)).split(/=(.*)/s)
  return { name, value, url: app.origin, httpOnly: true, sameSite: 'Lax' as const }
}

/** As the session's end looks to a page that is open. */
export const signOut = (context: BrowserContext) => context.clearCookies()

export const section = (page: Page, name: string | RegExp): Locator =>
  page.locator('.board').getByRole('button', { name })
export const dialog = (page: Page): Locator => page.getByRole('dialog')
export const text = (page: Page): Locator => page.getByLabel('What is wrong?')
export const project = (page: Page): Locator => dialog(page).getByRole('combobox', { name: 'Project' })
export const send = (page: Page): Locator => page.getByRole('button', { name: 'Send report' })
export const articles = (page: Page): Locator => page.locator('#feed article')

/** Where one would point at it. */
export async function middle(locator: Locator): Promise<{ x: number; y: number }> {
  const { x, y, width, height } = (await locator.boundingBox())!
  return { x: x + width / 2, y: y + height / 2 }
}

export async function screenshot(page: Page, name: string): Promise<void> {
  mkdirSync(screens, { recursive: true })
  await page.screenshot({ path: join(screens, `${name}.png`) })
}
