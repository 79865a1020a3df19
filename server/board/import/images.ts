import { createHash } from 'node:crypto'
import type { Findings } from '../findings.ts'
import { get, set, type XmlElement } from '../parse.ts'

export interface Image {
  bytes: Uint8Array
  type: string
}

const IMAGE_PATH = '/board/images/'
export const MAX_IMAGE_BYTES = 2 * 1024 * 1024
/** What browsers need to show a picture grows with its pixels, however few bytes it has. */
const MAX_PIXELS = 50_000_000
const DATA = /^\s*data:[^,]{0,200}?(;base64)?\s*,/i

/** Takes pictures out of a drawing: each is served beside it, since the page's policy knows no `data:`. */
export class Images {
  /** by the path that the drawing then names them by */
  readonly kept = new Map<string, Image>()
  private bytes = 0
  private pixels = 0

  constructor(private readonly findings: Findings) {}

  /** False where the element shows nothing that can be kept. */
  take(element: XmlElement): boolean {
    const href = linkOf(element)
    const found = href === undefined ? undefined : DATA.exec(href)
    if (href === undefined || href.trim() === '' || href.trim().startsWith('#')) {
      this.findings.warn(element, 'shows no picture: left out')
      return false
    }
    if (!found) {
      this.findings.fault(element, ' href: refers outside the file: embed the picture in the drawing')
      return false
    }
    const bytes = found[1] ? decodeBase64(href.slice(found[0].length)) : undefined
    const picture = bytes && pictureIn(bytes)
    if (!picture) {
      this.findings.warn(element, 'only embedded PNG, JPEG and WebP pictures can be shown: left out')
      return false
    }
    return this.keep(element, bytes, picture)
  }

  private keep(element: XmlElement, bytes: Uint8Array, { type, width, height }: Picture): boolean {
    const path = IMAGE_PATH + createHash('sha256').update(bytes).digest('hex').slice(0, 32)
    if (!this.kept.has(path)) {
      this.bytes += bytes.length
      this.pixels += width * height
      if (this.bytes > MAX_IMAGE_BYTES || this.pixels > MAX_PIXELS) {
        this.findings.fault(
          element,
          ': the pictures have together more than 2 MiB or 50 million pixels: make them smaller',
        )
        return false
      }
      this.kept.set(path, { bytes, type })
    }
    setLink(element, path)
    return true
  }
}

function linkOf(element: XmlElement): string | undefined {
  return get(element, 'href') ?? element.attributes.find(a => a.name === 'href')?.value
}

function setLink(element: XmlElement, href: string): void {
  element.attributes = element.attributes.filter(a => a.name !== 'href')
  set(element, 'href', href)
}

function decodeBase64(text: string): Uint8Array | undefined {
  const plain = (text.includes('%') ? safeDecode(text) : text).replace(/[ \t\r\n]/g, '')
  return /^[A-Za-z0-9+/]+={0,2}$/.test(plain) ? Buffer.from(plain, 'base64') : undefined
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

export interface Picture {
  type: string
  width: number
  height: number
}

/** By its own first bytes, whatever the file calls it; undefined when it is none of the three. */
export function pictureIn(bytes: Uint8Array): Picture | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const picture = bytes.length < 30 ? undefined : (png(view) ?? webp(view) ?? jpeg(view))
  return picture && picture.width > 0 && picture.height > 0 ? picture : undefined
}

const ascii = (view: DataView, at: number, length: number) =>
  String.fromCharCode(...new Uint8Array(view.buffer, view.byteOffset + at, length))

function png(view: DataView): Picture | undefined {
  if (ascii(view, 0, 8) !== '\x89PNG\r\n\x1a\n' || ascii(view, 12, 4) !== 'IHDR') return undefined
  return { type: 'image/png', width: view.getUint32(16), height: view.getUint32(20) }
}

function webp(view: DataView): Picture | undefined {
  if (ascii(view, 0, 4) !== 'RIFF' || ascii(view, 8, 4) !== 'WEBP') return undefined
  const size = (width: number, height: number) => ({ type: 'image/webp', width, height })
  switch (ascii(view, 12, 4)) {
    case 'VP8 ':
      return size(view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff)
    case 'VP8L': {
      const bits = view.getUint32(21, true)
      return size((bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1)
    }
    case 'VP8X':
      return size((view.getUint32(24, true) & 0xffffff) + 1, (view.getUint32(26, true) >>> 8) + 1)
    default:
      return undefined
  }
}

/** Goes from segment to segment up to the frame's header. */
function jpeg(view: DataView): Picture | undefined {
  if (view.getUint16(0) !== 0xffd8) return undefined
  let turned = false
  for (let at = 2; at + 9 < view.byteLength; ) {
    if (view.getUint8(at) !== 0xff) return undefined
    const marker = view.getUint8(at + 1)
    if (marker === 0xff) at++
    else if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      const [height, width] = [view.getUint16(at + 5), view.getUint16(at + 7)]
      return { type: 'image/jpeg', ...(turned ? { width: height, height: width } : { width, height }) }
    } else {
      const length = view.getUint16(at + 2)
      if (marker === 0xe1) turned ||= isTurned(view, at + 4)
      at += 2 + length
    }
  }
  return undefined
}

const ORIENTATION = 0x0112
const FIRST_TURNED = 5
const ENTRY_BYTES = 12

/** Whether the camera was held upright: browsers then show the picture turned by a quarter. */
function isTurned(view: DataView, at: number): boolean {
  if (at + 14 > view.byteLength || ascii(view, at, 6) !== 'Exif\0\0') return false
  const start = at + 6
  const little = view.getUint16(start) === 0x4949
  const directory = start + view.getUint32(start + 4, little)
  const isInside = (entry: number) => entry + ENTRY_BYTES <= view.byteLength
  if (!isInside(directory)) return false
  const end = directory + 2 + ENTRY_BYTES * view.getUint16(directory, little)
  for (let entry = directory + 2; entry < end && isInside(entry); entry += ENTRY_BYTES)
    if (view.getUint16(entry, little) === ORIENTATION)
      return view.getUint16(entry + 8, little) >= FIRST_TURNED
  return false
}
