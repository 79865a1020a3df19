import { describe, expect, test } from 'bun:test'
import { faultsBeside, imported } from '../../support/board.ts'
import { JPEG, png as pngOf } from '../../support/picture.ts'

const link = (bytes: Uint8Array, type = 'image/png') =>
  `data:${type};base64,${Buffer.from(bytes).toString('base64')}`
const picture = (href: string) => `<image width="9" height="9" xlink:href="${href}"/>`

const png = (width: number, height: number, more?: Buffer) =>
  pngOf(width, height, Buffer.alloc(height < 100 ? (width * 3 + 1) * height : 10), more)
const webp = (kind: string, data: number[]) =>
  Buffer.concat([
    Buffer.from('RIFF\x20\0\0\0WEBP'),
    Buffer.from(kind),
    Buffer.from([14, 0, 0, 0, ...data, 0, 0, 0, 0]),
  ])

describe('an embedded picture', () => {
  const kinds: [type: string, bytes: Uint8Array][] = [
    ['image/png', png(2, 2)],
    ['image/jpeg', JPEG],
    ['image/webp', webp('VP8 ', [0, 0, 0, 0x9d, 1, 0x2a, 16, 0, 16, 0])],
    ['image/webp', webp('VP8L', [0x2f, 15, 0xc0, 3, 0, 0, 0, 0, 0, 0])],
    ['image/webp', webp('VP8X', [0, 0, 0, 0, 15, 0, 0, 15, 0, 0])],
  ]
  test.each(kinds)('of %s is kept beside the drawing, which names it by its hash', (type, bytes) => {
    const { images, written } = imported(picture(link(bytes)))
    const [[path, image]] = [...images] as [[string, { bytes: Uint8Array; type: string }]]
    expect(path).toMatch(/^\/board\/images\/[0-9a-f]{32}$/)
    expect(image.type).toBe(type)
    expect(Buffer.from(image.bytes)).toEqual(Buffer.from(bytes))
    expect(written).toBe(`<image width="9" height="9" href="${path}"/>`)
  })

  test('that is there twice is kept once', () => {
    expect(imported(picture(link(png(2, 2))).repeat(2)).images.size).toBe(1)
  })

  test('may be broken into lines and escaped', () => {
    const [start, data] = link(png(2, 2)).split(',') as [string, string]
    const broken = data.replace(/.{20}/g, '$&\n').replaceAll('+', '%2B')
    expect(imported(picture(`${start},${broken}`)).images.size).toBe(1)
  })

  test('may be in a filter, and may be a section', () => {
    const { images, sections } = imported(
      `<filter><feImage href="${link(png(2, 2))}"/></filter><image data-section="a" data-label="A" href="${link(JPEG)}"/>`,
    )
    expect(images.size).toBe(2)
    expect(sections.has('a')).toBe(true)
  })

  const leftOut: [name: string, href: string][] = [
    [
      'an SVG in it',
      link(
        Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'.padEnd(80)),
        'image/svg+xml',
      ),
    ],
    [
      'an SVG that calls itself PNG',
      link(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'.padEnd(80))),
    ],
    ['an SVG that is written out', 'data:image/svg+xml;utf8,%3Csvg/%3E'],
    [
      'a page that calls itself JPEG',
      link(Buffer.from('<!DOCTYPE html><script>alert(1)</script>'.padEnd(80)), 'image/jpeg'),
    ],
    ['a GIF', link(Buffer.from('GIF89a'.padEnd(80)), 'image/gif')],
    ['a PNG of no size', link(png(0, 5))],
    ['a PNG cut after its name', link(png(2, 2).subarray(0, 12))],
    ['a JPEG without a frame', link(Buffer.concat([JPEG.subarray(0, 20), Buffer.alloc(40)]), 'image/jpeg')],
    ['no base64', 'data:image/png;base64,****'],
    ['nothing', ''],
    ['a shape', '#usb'],
  ]
  test.each(leftOut)('that is %s is left out with a warning', (_, href) => {
    const { images, written, said } = imported(picture(href))
    expect(images.size).toBe(0)
    expect(written).toBe('')
    expect(said).not.toEqual([])
  })

  test('that is a picture and a page at once is only ever told as a picture', () => {
    const { images } = imported(
      picture(link(png(2, 2, Buffer.from('<script>alert(1)</script>')), 'text/html')),
    )
    expect([...images.values()].map(({ type }) => type)).toEqual(['image/png'])
  })

  const refused: [name: string, content: string, fault: RegExp][] = [
    ['that few bytes make huge', picture(link(png(60_000, 60_000))), /50 million pixels/],
    [
      'that many make huge together',
      Array.from({ length: 60 }, (_, i) => picture(link(png(1000, 1000 + i)))).join(''),
      /50 million pixels/,
    ],
    ['of more than 2 MiB', picture(link(png(2, 2, Buffer.alloc(2 * 1024 * 1024)))), /2 MiB/],
    [
      'of elsewhere',
      picture('https://example.com/x.png'),
      /<image> href: refers outside the file: embed the picture/,
    ],
    [
      'of the same server',
      picture('/board/images/0123456789abcdef0123456789abcdef'),
      /refers outside the file/,
    ],
    ['of a file', picture('file:///etc/passwd'), /refers outside the file/],
    ['by a script', picture('javascript:alert(1)'), /refers outside the file/],
  ]
  test.each(refused)('%s is refused', (_, content, fault) => {
    expect(faultsBeside(content)).toContainEqual(expect.stringMatching(fault))
  })
})
