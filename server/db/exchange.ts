import type { PGlite } from '@electric-sql/pglite'

const START_UP = 0

/**
 * One message in, the reply out, all before this returns. PGlite's plain call also parses each reply and
 * keeps what it parsed for ever; its streaming call only hands the bytes over.
 */
export function exchange(
  database: PGlite,
  message: Uint8Array,
  onFailure: (error: unknown) => void,
): Uint8Array {
  if (message[0] === START_UP) return database.execProtocolRawSync(message)
  const parts: Uint8Array[] = []
  database
    .execProtocolRawStream(message, { syncToFs: false, onRawData: part => void parts.push(part.slice()) })
    .catch(onFailure)
  return Buffer.concat(parts)
}
