import { crc32, deflateSync } from 'node:zlib'

/** As far as anything here can tell: a PNG of coloured squares. */
export function photograph(width: number, height: number): Buffer {
  const row = 1 + 3 * width
  const pixels = Buffer.alloc(height * row)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      pixels.set([(x >> 4) * 9, (y >> 4) * 9, ((x ^ y) >> 5) & 1 ? 160 : 90], y * row + 1 + 3 * x)
  return png(width, height, pixels)
}

/** In true colour; `pixels` with the byte for its filter before each row. */
export function png(
  width: number,
  height: number,
  pixels: Uint8Array,
  more: Uint8Array = Buffer.alloc(0),
): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const parts = [
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(pixels)),
    chunk('IEND', Buffer.alloc(0)),
    more,
  ]
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...parts])
}

function chunk(name: string, data: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(name), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}

/** The least that is a JPEG: 32 pixels wide and 16 high. */
export const JPEG = Buffer.from(
  'ffd8ffe000104a46494600010100000100010000ffc0000b080010002001011100ffd9',
  'hex',
)
