import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { $ } from 'bun'
import type { Browser } from 'playwright-core'
import { project as makeProject, report } from '../support/api.ts'
import { ALICE, type TestApp, testApp } from '../support/app.ts'
import { freePort } from '../support/postgres.ts'
import { inChromium, launchAlone, session } from './support.ts'

const VERSION = '13.5.0'

interface Result {
  lhr: {
    finalDisplayedUrl: string
    categories: Record<string, { score: number | null }>
    runtimeError?: { message: string }
  }
}
type Lighthouse = (url: string, options: Record<string, unknown>) => Promise<Result>

/** Only in the long run: the package weighs more than all others together, so it is fetched for this alone. */
describe.skipIf(!process.env.FAULTLINE_LONG)('in the long run', () => {
  inChromium('Lighthouse', () => {
    let app: TestApp
    let browser: Browser
    let lighthouse: Lighthouse
    let port: number
    let newest: string
    const home = mkdtempSync(join(tmpdir(), 'faultline-lighthouse-'))
    beforeAll(async () => {
      await Bun.write(join(home, 'package.json'), '{}')
      await $`${process.execPath} add --exact --silent lighthouse@${VERSION}`.cwd(home).quiet()
      lighthouse = (await import(join(home, 'node_modules/lighthouse/core/index.js'))).default
      app = await testApp()
      port = await freePort()
      browser = await launchAlone(`--remote-debugging-port=${port}`)
      const hinge = await makeProject(app)
      for (let n = 0; n < 40; n++)
        newest = (await report(app.as(ALICE), hinge.id, `Report ${n}`, 'usb-port')).id
    }, 120_000)
    afterAll(async () => {
      await browser.close()
      await app.stop()
      rmSync(home, { recursive: true, force: true })
    })

    async function measure(path: string) {
      const devtools = await browser.newBrowserCDPSession()
      await devtools.send('Storage.setCookies', { cookies: [await session(app, ALICE)] })
      const options = { port, output: 'json', logLevel: 'error', disableStorageReset: true }
      const { lhr } = await lighthouse(app.origin + path, options)
      expect(lhr.runtimeError).toBeUndefined()
      expect(lhr.finalDisplayedUrl).toBe(app.origin + path)
      const scores = Object.entries(lhr.categories).map(([name, { score }]) => [name, score] as const)
      expect(scores.length).toBeGreaterThanOrEqual(4)
      return scores.filter(([, score]) => Number(score) < 0.95)
    }

    // Other work on the machine only ever lowers what is measured, so the best of three counts.
    test.each([
      '/',
      '/?days=30d&q=report&section=usb-port',
      '/sections/usb-port',
      '/defects/{newest}',
      '/labels',
    ])('%s reaches 95 in every category', async page => {
      const path = page.replace('{newest}', newest)
      let short = await measure(path)
      for (let again = 0; again < 2 && short.length; again++) short = await measure(path)
      expect(short).toEqual([])
    })
  })
})
