import { existsSync } from 'node:fs'
import { dirname } from 'node:path'

type Done = 'read' | 'written' | 'used'

/** A file or folder that cannot be used as it was asked for: which one, why, and what to do. */
export class FileFault extends Error {
  /** without the fix */
  readonly said: string
  constructor(
    path: string,
    readonly reason: string,
    readonly fix: string,
    done: Done = 'used',
  ) {
    const said = `${path} cannot be ${done} ${reason}`
    super(`${said}; ${fix}`)
    this.said = said
  }
}

const ANOTHER = 'give this user the right to it, or name another place'
const ROOM = 'make room there, or name another place'
const causes: Record<string, [reason: string, fix: string]> = {
  ENOENT: ['there is no such file', 'correct the path'],
  ENOTDIR: ['a part of its path is a file, where a folder should be', 'correct the path'],
  EISDIR: ['it is a folder, where a file should be', 'name a file'],
  EEXIST: ['something else of that name is there', 'move that away, or name another place'],
  EACCES: ['this user may not', ANOTHER],
  EPERM: ['this user may not', ANOTHER],
  EROFS: ['the file system is read-only', 'name another place'],
  ENOSPC: ['no room is left', ROOM],
  EDQUOT: ['no room is left to this user', ROOM],
  EFBIG: ['no room is left for a file of this size', ROOM],
  ELOOP: ['its links lead in a circle', 'correct the path'],
  ENAMETOOLONG: ['its name is too long', 'give it a shorter one'],
  EMFILE: ['too many files are open', 'raise the limit of open files'],
  ENFILE: ['too many files are open', 'raise the limit of open files'],
  EIO: ['the disk failed', 'check the disk'],
  SQLITE_CANTOPEN: ['this user may not', ANOTHER],
  SQLITE_READONLY: ['it is read-only', 'name another place'],
  SQLITE_FULL: ['no room is left', ROOM],
  SQLITE_IOERR: ['the disk failed', 'check the disk'],
}
const OF_THE_NETWORK = /^(connect|listen|bind|accept|getaddrinfo)/

/** What the file system said, in words; undefined for an error that is not its. */
export function fileFault(error: unknown, path?: string, done?: Done): FileFault | undefined {
  if (error instanceof FileFault) return error
  const said = (error ?? {}) as { code?: string; syscall?: string; path?: string }
  const named = path ?? said.path
  const cause = causes[said.code ?? '']
  const isOfFiles = said.syscall ? !OF_THE_NETWORK.test(said.syscall) : said.code?.startsWith('SQLITE_')
  if (!cause || !named || !isOfFiles) return undefined
  const isFolderMissing = said.code === 'ENOENT' && !existsSync(dirname(named))
  const [reason, fix] = isFolderMissing
    ? ['its folder is not there', 'make the folder, or correct the path']
    : cause
  return new FileFault(named, `(${said.code}): ${reason}`, fix, done)
}

/** For `catch`: throws what the file system said, in words. */
export const inWords =
  (path: string, done?: Done) =>
  (error: unknown): never => {
    throw fileFault(error, path, done) ?? error
  }

export const notAFile = (path: string, done: Done) =>
  new FileFault(path, 'because it is a folder or a device, where a file should be', 'name a file', done)
