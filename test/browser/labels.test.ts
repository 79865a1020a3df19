import { afterAll, beforeAll, expect, test } from 'bun:test'
import AxeBuilder from '@axe-core/playwright'
import jsQR from 'jsqr'
import type { Browser, Locator, Page } from 'playwright-core'
import { ALICE, type TestApp, testApp } from '../support/app.ts'
import { dialog, inChromium, launch, screenshot, section, visit } from './support.ts'

inChromium('labels to print', () => {
  let app: TestApp
  let browser: Browser
  let page: Page
  let complaints: string[]
  beforeAll(async () => {
    app = await testApp()
    browser = await launch()
    const visited = await visit(browser, app, ALICE, { path: '/labels', colorScheme: 'dark' })
    page = visited.page
    complaints = visited.complaints
    await labels().first().waitFor()
  })
  afterAll(async () => {
    await browser.close()
    await app.stop()
    expect(complaints).toEqual([])
  })

  const labels = () => page.getByRole('list', { name: 'Labels to print' }).getByRole('listitem')

  /** What a phone reads that is held to it. */
  async function scanned(label: Locator): Promise<string | undefined> {
    const picture = (await label.getByRole('img').screenshot()).toString('base64')
    const { width, pixels } = await page.evaluate(async picture => {
      const bytes = Uint8Array.from(atob(picture), letter => letter.charCodeAt(0))
      const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }))
      const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d')!
      canvas.drawImage(image, 0, 0)
      const { data } = canvas.getImageData(0, 0, image.width, image.height)
      return { width: image.width, pixels: Array.from(data) }
    }, picture)
    return jsQR(Uint8ClampedArray.from(pixels), width, pixels.length / 4 / width)?.data
  }

  test('each section has one, whose code opens the report form on it, at every size', async () => {
    expect(await labels().count()).toBe(18)
    await screenshot(page, 'labels-dark')
    for (const size of ['small', 'medium', 'large']) {
      await page.getByLabel('Size').selectOption(size)
      expect([size, await scanned(labels().filter({ hasText: 'USB port' }))]).toEqual([
        size,
        `${app.origin}/?report=usb-port`,
      ])
    }
  })

  test('one chooses the sections and names the board', async () => {
    await page.getByRole('button', { name: 'None' }).click()
    await page.getByText('Choose a section above.').waitFor()
    await page.getByRole('checkbox', { name: 'Memory', exact: true }).check()
    await page.getByLabel('Board’s name').fill('Bench 3')
    await page.getByRole('button', { name: 'Print 1 label' }).waitFor()
    expect(await labels().allTextContents()).toEqual([expect.stringContaining('Bench 3')])
    await page.getByRole('button', { name: 'All' }).click()
    expect(await labels().count()).toBe(18)
  })

  test('only the stickers are printed, and none is cut in two', async () => {
    await page.getByLabel('Size').selectOption('medium')
    await page.emulateMedia({ media: 'print' })
    await screenshot(page, 'labels-print')
    expect(await page.getByRole('heading', { name: 'Labels' }).isVisible()).toBe(false)
    expect(await page.getByRole('banner').isVisible()).toBe(false)
    const cut = await labels().evaluateAll(
      elements =>
        elements.filter(element =>
          [...element.querySelectorAll('.words')].some(words => words.scrollHeight > element.clientHeight),
        ).length,
    )
    expect(cut).toBe(0)
    await page.emulateMedia({ media: null })
  })

  test('the address of a label opens the report form, once', async () => {
    const { page, context } = await visit(browser, app, ALICE, { path: '/?report=usb-port' })
    await dialog(page).getByRole('heading', { name: 'USB port' }).waitFor()
    await page.keyboard.press('Escape')
    await dialog(page).waitFor({ state: 'detached' })
    await page.reload()
    await section(page, /USB port/).waitFor()
    expect([new URL(page.url()).search, await dialog(page).count()]).toEqual(['', 0])
    await context.close()
  })

  test('axe finds nothing, and it fits a narrow window', async () => {
    const { violations } = await new AxeBuilder({ page })
      .setLegacyMode()
      .options({ resultTypes: ['violations'] })
      .analyze()
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([])
    await page.setViewportSize({ width: 320, height: 640 })
    await page.getByLabel('Size').selectOption('large')
    await screenshot(page, 'labels-narrow')
    const over = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    )
    expect(over).toBe(0)
    expect(complaints).toEqual([])
  })
})
