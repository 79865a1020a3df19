import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { type Board, BoardFaults, loadBoard } from '../../server/board/board.ts'
import { drawings, noDrawings } from '../support/drawings.ts'
import { inChromium, launch } from './support.ts'

/** A style sheet, embedded pictures, and an editor's notes; all of them in the long run. */
const everyDay = ['vis-efd.svg', 'exc-mem.svg', 'fp-flat.svg']
const compared = process.env.FAULTLINE_LONG
  ? drawings
  : drawings.filter(path => everyDay.includes(basename(path)))
const MOST_DIFFERENT = 0.005

describe.skipIf(!compared.length)(`drawings of many programs${noDrawings}`, () => {
  inChromium('look imported as they look by themselves', () => {
    let browser: Browser
    let page: Page
    beforeAll(async () => {
      browser = await launch()
      page = await browser.newPage()
    })
    afterAll(() => browser.close())

    test.each(compared.map(path => [basename(path), path] as const))('%s', async (_, path) => {
      const board = boardOf(path)
      if (board instanceof BoardFaults) return
      const different = await difference(
        page,
        withoutHtml(readFileSync(path, 'utf8')),
        standalone(board, path),
      )
      if (process.env.FAULTLINE_LONG)
        console.log(`${basename(path)}: ${(different * 100).toFixed(3)} % of pixels differ`)
      expect(different).toBeLessThanOrEqual(MOST_DIFFERENT)
    })
  })
})

function boardOf(path: string): Board | BoardFaults {
  try {
    return loadBoard(path)
  } catch (error) {
    if (error instanceof BoardFaults) return error
    throw error
  }
}

/** Text of HTML becomes text of SVG, which a browser sets a little differently. */
const withoutHtml = (svg: string) => svg.replace(/<foreignObject.*?<\/foreignObject>/gs, '')

/** The board as a file of its own: its pictures back inside, its size as the raw file says. */
function standalone({ svg, images }: Board, path: string): string {
  const [root = ''] = /<svg[^>]*>/s.exec(readFileSync(path, 'utf8')) ?? []
  const size = [...root.matchAll(/\s(?:width|height)\s*=\s*(?:"[^"]*"|'[^']*')/g)].join('')
  const sized = svg.replace('<svg ', `<svg ${size} `)
  return sized.replace(/href="(\/[^"]*)"/g, (_, path: string) => {
    const { bytes, type } = images.get(path)!
    return `href="data:${type};base64,${Buffer.from(bytes).toString('base64')}"`
  })
}

/** The share of pixels that are not the same to the eye. */
function difference(page: Page, ...files: [string, string]): Promise<number> {
  return page.evaluate(async files => {
    const LONGEST = 1000
    const images = await Promise.all(
      files.map(async file => {
        const image = new Image()
        image.src = URL.createObjectURL(new Blob([file], { type: 'image/svg+xml' }))
        await image.decode()
        return image
      }),
    )
    const { naturalWidth: width, naturalHeight: height } = images[0]!
    const scale = LONGEST / Math.max(width, height)
    const [first, second] = images.map(image => {
      const canvas = document.createElement('canvas')
      canvas.width = Math.round(width * scale)
      canvas.height = Math.round(height * scale)
      const context = canvas.getContext('2d', { willReadFrequently: true })!
      context.fillStyle = '#fff'
      context.fillRect(0, 0, canvas.width, canvas.height)
      context.drawImage(image, 0, 0, canvas.width, canvas.height)
      return context.getImageData(0, 0, canvas.width, canvas.height).data
    }) as [Uint8ClampedArray, Uint8ClampedArray]
    let different = 0
    for (let at = 0; at < first.length; at += 4)
      if ([0, 1, 2].some(channel => Math.abs(first[at + channel]! - second[at + channel]!) > 8)) different++
    return different / (first.length / 4)
  }, files)
}
