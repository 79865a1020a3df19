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
import { fileFault } from '../../file-fault.ts'

/** The text of a file; undefined where there is none. */
export function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw fileFault(error, path, 'read') ?? error
  }
}

/** Either the new file or the old one is there, never a part. Where an old one is kept, gives the name it got. */
export function replaceFile(path: string, text: string, keepOld: boolean): string | undefined {
  // a link stays one: what it leads to is replaced
  const target = textOf(path) === undefined ? path : realpathSync(path)
  const fresh = `${target}.${process.pid}.new`
  try {
    writeFresh(fresh, text)
    return putInPlace(fresh, target, keepOld)
  } catch (error) {
    throw fileFault(error, path, 'written') ?? error
  }
}

function writeFresh(path: string, text: string): void {
  const file = openSync(path, 'wx')
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

function putInPlace(fresh: string, target: string, keepOld: boolean): string | undefined {
  try {
    const old = statSync(target, { throwIfNoEntry: false })
    if (old) chmodSync(fresh, old.mode & 0o777)
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
