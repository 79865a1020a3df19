import {
  closeSync,
  constants,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import type { Static, TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

const NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL

/** For the owner's eyes; fails with EEXIST rather than touch a file that is there. */
export function createPrivate(path: string, text: string): void {
  const file = openSync(path, NEW, 0o600)
  try {
    writeFileSync(file, text)
    fsyncSync(file)
  } catch (error) {
    rmSync(path, { force: true })
    throw error
  } finally {
    closeSync(file)
  }
}

/** Either the new file or the old one is there, never a part. */
export function writePrivate(path: string, text: string): void {
  const fresh = `${path}.${process.pid}`
  createPrivate(fresh, text)
  renameSync(fresh, path)
}

/** A file of ours in JSON; undefined where there is none, or not one of this form. */
export function readPrivate<T extends TSchema>(path: string, form: T): Static<T> | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return Value.Check(form, value) ? value : undefined
  } catch {
    return undefined
  }
}
