import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import type { FeedEntry } from '../../server/defects/entry.ts'
import { ALICE, type TestApp, testApp } from '../support/app.ts'
import {
  articles,
  dialog,
  inChromium,
  launch,
  phone,
  project,
  section,
  send,
  text,
  type Visit,
  visit,
} from './support.ts'

inChromium('the whole journey', () => {
  let app: TestApp
  let browser: Browser
  let open: Visit | undefined
  beforeAll(async () => {
    app = await testApp()
    browser = await launch()
  })
  afterEach(async () => {
    await open?.context.close()
    expect(open?.complaints ?? []).toEqual([])
  })
  afterAll(async () => {
    await browser.close()
    await app.stop()
  })

  const newest = async () => {
    const response = await app.as(ALICE)('/api/defects?limit=1')
    return ((await response.json()) as FeedEntry[])[0]
  }

  async function confirmed(page: Page, count: RegExp, words: string) {
    await page.getByRole('status').getByText('Filed on USB port.').waitFor()
    expect(await dialog(page).count()).toBe(0)
    await section(page, count).waitFor()
    expect(await section(page, count).evaluate(element => element === document.activeElement)).toBe(true)
    expect(await articles(page).first().textContent()).toContain(words)
  }

  test('by mouse: a section, a sentence, a new project, sent', async () => {
    open = await visit(browser, app, ALICE)
    const { page } = open
    await section(page, 'USB port, 0 defects').click()
    await dialog(page).getByText('Nothing has been reported here yet.').waitFor()
    // The project comes first where none was used before.
    expect(await project(page).evaluate(element => element === document.activeElement)).toBe(true)
    await text(page).fill('The shell is loose')
    await project(page).fill('Hinge rework')
    await dialog(page).getByRole('option', { name: 'Create “Hinge rework”' }).click()
    await send(page).click()
    await confirmed(page, /USB port, 1 defect$/, 'The shell is loose')
    expect(await newest()).toMatchObject({
      section_id: 'usb-port',
      project_name: 'Hinge rework',
      verbatim: 'The shell is loose',
      reporter: ALICE,
    })
  })

  test('by keyboard alone, and the project used last is offered first', async () => {
    open = await visit(browser, app, ALICE)
    const { page } = open
    const port = section(page, /USB port/)
    await port.waitFor()
    const reached = () => port.evaluate(element => element === document.activeElement)
    for (let presses = 0; presses < 40 && !(await reached()); presses++) await page.keyboard.press('Tab')
    expect(await reached()).toBe(true)
    await page.locator('.board .tip', { hasText: 'USB port, 1 defect' }).waitFor()
    await page.keyboard.press('Enter')
    await dialog(page).getByText('The shell is loose').waitFor()
    await page.keyboard.type('lot 7')
    await dialog(page).getByRole('option', { name: 'Create “lot 7”' }).waitFor()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    await page.keyboard.type('It came off in my hand')
    await page.keyboard.press('Control+Enter')
    await confirmed(page, /USB port, 2 defects/, 'It came off in my hand')

    await page.keyboard.press(' ')
    await dialog(page).waitFor()
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('ArrowDown')
    expect(await dialog(page).getByRole('option').allTextContents()).toEqual(['lot 7', 'Hinge rework'])
    await page.keyboard.press('Escape')
    expect(await dialog(page).getByRole('option').count()).toBe(0)
    expect(await dialog(page).count()).toBe(1)
    await page.keyboard.press('Escape')
    await dialog(page).waitFor({ state: 'detached' })
    expect(await port.evaluate(element => element === document.activeElement)).toBe(true)
  })

  test('at 360 pixels by touch: with the project used last it is two taps and a sentence', async () => {
    open = await visit(browser, app, ALICE, phone)
    const { page } = open
    await page.evaluate(email => localStorage.setItem(`faultline.project.${email}`, 'Hinge rework'), ALICE)
    await page.reload()
    await section(page, /USB port/).tap()
    await text(page).fill('Bent pins')
    await send(page).tap()
    await confirmed(page, /USB port, 3 defects/, 'Bent pins')
    expect((await newest())?.project_name).toBe('Hinge rework')
    const wide = await page.evaluate(
      () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
    )
    expect(wide).toBe(false)
  })

  test('the list beside the board offers the same two actions', async () => {
    open = await visit(browser, app, ALICE)
    const { page } = open
    await page.getByText('17 without defects').click()
    const report = page.getByRole('button', { name: 'Report a defect on Ethernet' })
    await report.click()
    await text(page).fill('No link')
    await project(page).fill('HINGE REWORK')
    await dialog(page).getByRole('option', { name: 'Hinge rework', exact: true }).click()
    await send(page).click()
    await page.getByText('Filed on Ethernet.').waitFor()
    expect(await report.evaluate(element => element === document.activeElement)).toBe(true)
    await page.getByRole('link', { name: 'History of Ethernet' }).click()
    await page.getByRole('heading', { name: 'Ethernet', level: 1 }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/sections/ethernet')
    expect(await page.title()).toBe('Ethernet · Faultline')
    await articles(page).getByText('No link').waitFor()
    expect(await articles(page).count()).toBe(1)
    await page.goBack()
    await page.getByRole('heading', { name: 'Weak points' }).waitFor()
  })

  test('faults stand beside their field, in words, and the first takes the focus', async () => {
    open = await visit(browser, app, ALICE)
    const { page } = open
    await section(page, /Memory/).click()
    await send(page).click()
    const fault = dialog(page).getByText('Choose a project, or type a name to create one.')
    await fault.waitFor()
    await dialog(page).getByText('Say what is wrong, in a sentence.').waitFor()
    expect(await project(page).getAttribute('aria-invalid')).toBe('true')
    expect(await project(page).evaluate(element => element === document.activeElement)).toBe(true)
    await project(page).fill('Hinge rework')
    await text(page).fill('\u2800')
    await send(page).click()
    await dialog(page).getByText('The description must not be blank.').waitFor()
    await text(page).fill('x'.repeat(5_003))
    await dialog(page).getByText('3 characters too many').waitFor()
    await text(page).fill('😀'.repeat(4_990))
    await dialog(page).getByText('10 characters left').waitFor()
  })

  test('the map counts 7 days, 30 days or all time, and a reload keeps which', async () => {
    open = await visit(browser, app, ALICE)
    const { page } = open
    const asked = page.waitForRequest(request => request.url().endsWith('/api/defects/counts?since=7d'))
    await page.getByRole('radio', { name: '7 days' }).check()
    await asked
    await section(page, /USB port, 3 defects/).waitFor()
    await page.reload()
    expect(await page.getByRole('radio', { name: '7 days' }).isChecked()).toBe(true)
  })

  test('signing out ends the session', async () => {
    open = await visit(browser, app, ALICE)
    const { page } = open
    await page.getByRole('button', { name: `Account of ${ALICE}` }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL('**/login')
    await page.goto(`${app.origin}/`)
    expect(new URL(page.url()).pathname).toBe('/login')
  })
})
