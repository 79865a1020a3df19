import { closeSync, constants, fsyncSync, openSync, renameSync, writeSync } from 'node:fs'

const NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL

/** For the owner's eyes; fails with EEXIST rather than touch a file that is there. */
export function createPrivate(path: string, text: string): void {
  const file = openSync(path, NEW, 0o600)
  try {
    writeSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** The whole new file or the whole old one, never a part. */
export function writePrivate(path: string, text: string): void {
  const fresh = `${path}.${process.pid}`
  createPrivate(fresh, text)
  renameSync(fresh, path)
}
