import { closeSync, openSync, readSync } from 'node:fs'
import { FileFault } from '../file-fault.ts'

const MOST_BYTES = 64 * 1024

/** A file of settings, or a pipe as shells hand them over; what has no end is not read to it. */
export function readShort(path: string): string {
  const file = openSync(path, 'r')
  try {
    const buffer = Buffer.alloc(MOST_BYTES + 1)
    let length = 0
    for (let read = -1; read !== 0 && length <= MOST_BYTES; length += read) {
      read = readSync(file, buffer, length, buffer.length - length, null)
    }
    if (length <= MOST_BYTES) return buffer.toString('utf8', 0, length)
    throw new FileFault(
      path,
      'because it is larger than 64 KiB',
      'name a file that holds settings alone',
      'read',
    )
  } finally {
    closeSync(file)
  }
}
