import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import type { Static, TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { fileFault } from './file-fault.ts'

/** The text of a file; undefined where there is none. */
export function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw fileFault(error, path, 'read') ?? error
  }
}

/** For the eyes of the user it belongs to. */
export const PRIVATE = 0o600
const FOR_ALL = 0o666

/** A file of ours in JSON; undefined where there is none, or not one of this form. */
export function readJson<T extends TSchema>(path: string, form: T): Static<T> | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return Value.Check(form, value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Fails with EEXIST rather than touch a file that is there; what cannot be written whole is taken back. */
export function createFile(path: string, text: string, mode = FOR_ALL): void {
  const file = openSync(path, 'wx', mode)
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

/**
 * Either the new file or the old one is there, never a part. Without a mode the new one has the old one's.
 * Where an old one is kept, gives the name it got.
 */
export function replaceFile(
  path: string,
  text: string,
  { mode, keepOld = false }: { mode?: number; keepOld?: boolean } = {},
): string | undefined {
  // A link stays one: what it leads to is replaced.
  const target = textOf(path) === undefined ? path : realpathSync(path)
  const fresh = `${target}.${process.pid}.new`
  try {
    createFile(fresh, text, mode)
    return putInPlace(fresh, target, { mode, keepOld })
  } catch (error) {
    throw fileFault(error, path, 'written') ?? error
  }
}

function putInPlace(
  fresh: string,
  target: string,
  { mode, keepOld }: { mode?: number; keepOld: boolean },
): string | undefined {
  try {
    const old = statSync(target, { throwIfNoEntry: false })
    if (old && mode === undefined) chmodSync(fresh, old.mode & 0o777)
    const kept = old && keepOld ? keep(target) : undefined
    renameSync(fresh, target)
    return kept
  } catch (error) {
    rmSync(fresh, { force: true })
    throw error
  }
}

const MOST_KEPT = 1000

/** Copies the file beside itself, and never over another. */
function keep(path: string): string {
  for (let count = 1; ; count++) {
    const name = count === 1 ? `${path}.bak` : `${path}.bak.${count}`
    try {
      copyFileSync(path, name, constants.COPYFILE_EXCL)
      return name
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || count === MOST_KEPT) throw error
    }
  }
}
