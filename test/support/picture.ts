import { deflateSync } from 'node:zlib'

/** A photograph, as far as anything here can tell: a PNG of coloured squares. */
export function png(width: number, height: number): Uint8Array {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2], 8)
  const rows = Buffer.alloc(height * (1 + 3 * width))
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      rows.set(
        [(x >> 4) * 9, (y >> 4) * 9, ((x >> 5) ^ (y >> 5)) & 1 ? 160 : 90],
        y * (1 + 3 * width) + 1 + 3 * x,
      )
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const framed = Buffer.alloc(body.length + 8)
  framed.writeUInt32BE(data.length, 0)
  framed.set(body, 4)
  framed.writeUInt32BE(Bun.hash.crc32(body), body.length + 4)
  return framed
}
