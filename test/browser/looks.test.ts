import { afterAll, beforeAll, expect, test } from 'bun:test'
import AxeBuilder from '@axe-core/playwright'
import type { Browser, Page } from 'playwright-core'
import type { Project } from '../../server/projects/model.ts'
import { project as makeProject, report } from '../support/api.ts'
import { ALICE, BOB, OWNER, type TestApp, testApp } from '../support/app.ts'
import { fileDefects } from '../support/defects.ts'
import {
  articles,
  dialog,
  inChromium,
  launch,
  phone,
  project,
  screenshot,
  section,
  send,
  signOut,
  text,
  visit,
} from './support.ts'

interface State {
  name: string
  path?: string
  email?: string | null
  /** brings the page there; without it the page as it opens */
  act?: (page: Page) => Promise<unknown>
}

inChromium('every state, in light and dark, wide and narrow', () => {
  let app: TestApp
  let browser: Browser
  let hinge: Project
  beforeAll(async () => {
    app = await testApp()
    browser = await launch()
    hinge = await makeProject(app)
    const bob = app.as(BOB)
    for (let n = 0; n < 12; n++) await report(bob, hinge.id, `Report ${n}\nwith a second line`, 'memory')
    for (let n = 0; n < 4; n++) await report(bob, hinge.id, 'Cold joint', 'usb-port')
    await report(bob, hinge.id, 'Burnt', 'audio-jack')
    await fileDefects(app.db, 1, {
      projectId: hinge.id,
      sectionId: 'parallel-port',
      createdAt: new Date(Date.now() - 2 * 86_400_000),
    })
  })
  afterAll(async () => {
    await browser.close()
    await app.stop()
  })

  const ready = (page: Page) => articles(page).first().waitFor()
  async function openDialog(page: Page) {
    await section(page, /USB port/).click()
    await dialog(page).getByText('Already reported?').waitFor()
  }

  const states: State[] = [
    { name: 'board', act: ready },
    {
      name: 'section-focused',
      act: async page => {
        await ready(page)
        await section(page, /Ethernet/).focus()
        await page.locator('.board .tip').waitFor()
      },
    },
    { name: 'report', act: openDialog },
    {
      name: 'report-project',
      act: async page => {
        await openDialog(page)
        await project(page).fill('hi')
        await dialog(page).getByRole('option', { name: 'Create “hi”' }).waitFor()
      },
    },
    {
      name: 'report-faults',
      act: async page => {
        await openDialog(page)
        await text(page).fill('x'.repeat(5_001))
        await send(page).click()
        await dialog(page).getByText('one character too long').waitFor()
      },
    },
    {
      name: 'report-session-ended',
      act: async page => {
        await openDialog(page)
        await project(page).fill('Hinge rework')
        await text(page).fill('Loose')
        await signOut(page.context())
        await send(page).click()
        await dialog(page).getByText('Your session has ended.').waitFor()
      },
    },
    {
      name: 'waiting-for-the-network',
      act: async page => {
        await page.route('**/api/defects', route => route.abort())
        await openDialog(page)
        await project(page).fill('Hinge rework')
        await text(page).fill('Loose')
        await send(page).click()
        await page.getByText('waits for the network').waitFor()
      },
    },
    {
      name: 'news',
      act: async page => {
        await ready(page)
        await report(app.as(BOB), hinge.id, 'Just in', 'hdmi')
        await page.getByRole('button', { name: /new$/ }).waitFor()
      },
    },
    {
      name: 'session-ended',
      act: async page => {
        await ready(page)
        await signOut(page.context())
        await page.getByRole('link', { name: 'Sign in again' }).waitFor()
      },
    },
    {
      name: 'account',
      email: OWNER,
      act: async page => {
        await page.getByRole('button', { name: `Account of ${OWNER}` }).click()
        await page.getByText('Push is off at the server').waitFor()
      },
    },
    { name: 'history', path: '/sections/usb-port', act: ready },
    {
      name: 'history-empty',
      path: '/sections/reset-button',
      act: page => page.getByText('Nothing has been').waitFor(),
    },
    { name: 'history-retired', path: '/sections/parallel-port', act: ready },
    {
      name: 'history-unknown',
      path: '/sections/nowhere',
      act: page => page.getByText('has no section').waitFor(),
    },
    {
      name: 'unreachable',
      act: async page => {
        await page.route(/\/api\/|board\.svg/, route => route.abort())
        await page.reload()
        await page.getByText('The board could not be loaded.').waitFor()
      },
    },
    {
      name: 'signed-out-elsewhere',
      act: async page => {
        const other = await page.context().newPage()
        await other.goto(page.url())
        await other.getByRole('button', { name: `Account of ${ALICE}` }).click()
        await other.getByRole('button', { name: 'Sign out' }).click()
        await page.getByRole('heading', { name: 'Signed out' }).waitFor()
        await other.close()
      },
    },
    { name: 'login', path: '/login', email: null },
    { name: 'refused-attempt', path: '/auth/test/callback?code=x&state=y', email: null },
    {
      name: 'not-found',
      path: '/nowhere',
      act: page => page.getByRole('link', { name: 'To the board' }).waitFor(),
    },
  ]

  const settings = [
    { name: 'wide-light', colorScheme: 'light' as const },
    { name: 'narrow-dark', colorScheme: 'dark' as const, ...phone },
  ]

  for (const { name: setting, ...options } of settings) {
    test.each(states)(`axe finds nothing, and nothing runs over the edge: ${setting}, $name`, async state => {
      const { name, path, email = ALICE, act } = state
      const { page, context, complaints } = await visit(browser, app, email ?? undefined, {
        ...options,
        path,
      })
      await act?.(page)
      await screenshot(page, `${name}-${setting}`)
      const { violations } = await new AxeBuilder({ page })
        .setLegacyMode()
        // What passes is not written out, which is most of the work.
        .options({ resultTypes: ['violations'] })
        .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'])
        .analyze()
      expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([])
      const over = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      )
      expect(over).toBe(0)
      expect(complaints).toEqual([])
      await context.close()
    })
  }
})
