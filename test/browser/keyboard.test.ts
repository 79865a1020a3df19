import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { project as makeProject, report } from '../support/api.ts'
import { ALICE, type TestApp, testApp } from '../support/app.ts'
import { articles, dialog, inChromium, launch, project, section, text, type Visit, visit } from './support.ts'

inChromium('the keyboard, and a window that is smaller than the page', () => {
  let app: TestApp
  let browser: Browser
  let open: Visit
  beforeAll(async () => {
    app = await testApp()
    browser = await launch()
    for (let n = 1; n <= 40; n++) await makeProject(app, `Project ${n}`)
    const { id } = await makeProject(app, 'Project 1')
    for (let n = 1; n <= 30; n++) await report(app.as(ALICE), id, `Report ${n}`, 'memory')
  })
  afterEach(async () => {
    await open.context.close()
    expect(open.complaints).toEqual([])
  })
  afterAll(async () => {
    await browser.close()
    await app.stop()
  })

  const windows = [
    { width: 1366, height: 768, text: 16 },
    { width: 1280, height: 720, text: 24 },
    { width: 1920, height: 720, text: 16 },
  ]

  async function openWindow({ width, height, text }: (typeof windows)[number]): Promise<Page> {
    open = await visit(browser, app, ALICE, { viewport: { width, height } })
    const { page } = open
    await page.evaluate(size => {
      document.documentElement.style.fontSize = `${size}px`
    }, text)
    await articles(page).first().waitFor()
    await page.getByText('17 without defects').click()
    return page
  }

  test('Tab leaves a long list of projects for the next field, and nothing typed is lost', async () => {
    open = await visit(browser, app, ALICE)
    const { page } = open
    await section(page, /USB port/).click()
    await project(page).click()
    await dialog(page).getByRole('option').first().waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.type('The shell is loose')
    expect(await text(page).inputValue()).toBe('The shell is loose')
    expect(await dialog(page).getByRole('option').count()).toBe(0)
  })

  test.each(windows)('every stop of the section list comes into view at $width × $height', async size => {
    const page = await openWindow(size)
    const actions = page.locator('.list :is(a, button)')
    await page.locator('.list').getByRole('button').first().focus()
    const stops = await actions.count()
    const hidden: string[] = []
    for (let stop = 0; stop < stops; stop++) {
      const seen = await page.evaluate(() => {
        const { left, right, top, bottom } = document.activeElement!.getBoundingClientRect()
        const there = document.elementFromPoint((left + right) / 2, (top + bottom) / 2)
        return document.activeElement!.contains(there) ? '' : document.activeElement!.ariaLabel
      })
      if (seen) hidden.push(seen)
      await page.keyboard.press('Tab')
    }
    expect(hidden).toEqual([])
  })

  test.each(windows)('the last row is reached beside the feed at $width × $height', async size => {
    const page = await openWindow(size)
    await page.evaluate(() => scrollTo(0, 200))
    const last = page.locator('.list li').last()
    await page.locator('.list').evaluate(list => list.scrollTo(0, list.scrollHeight))
    const { y, height } = (await last.boundingBox())!
    expect(y + height).toBeLessThanOrEqual(size.height)
    const end = await page.evaluate(() => document.documentElement.scrollHeight - innerHeight)
    expect(await page.evaluate(() => scrollY)).toBeLessThan(end)
  })
})
