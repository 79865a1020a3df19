import { expect, test } from 'bun:test'
import { closeSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { translate } from '../server/db/faults.ts'
import { DatabaseUnavailable } from '../server/errors.ts'
import { fileFault } from '../server/file-fault.ts'

function thrownBy(run: () => unknown): unknown {
  try {
    run()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}

const system = (code: string, syscall?: string, path?: string) =>
  Object.assign(new Error(`${code}: said so`), { code, syscall, path })

test.each([
  [
    'a file that is not there',
    () => readFileSync(join(tmpdir(), 'faultline-no-such-file')),
    /no such file; correct/,
  ],
  [
    'a folder that is not there',
    () => readFileSync('/no/such/folder'),
    /its folder is not there; make the folder/,
  ],
  ['a path through a file', () => readFileSync(join(import.meta.path, 'x')), /a part of its path is a file/],
  [
    'a file where a folder should be',
    () => mkdirSync(import.meta.path, { recursive: true }),
    /something else of that name/,
  ],
])('%s is told with its name and what to do', (_, run, said) => {
  expect(fileFault(thrownBy(run))?.message).toMatch(said)
})

test('a disk without room is told of the file that was being written', () => {
  const full = openSync('/dev/full', 'w')
  const error = thrownBy(() => writeSync(full, 'x'))
  closeSync(full)
  expect(fileFault(error, 'x.gz', 'written')?.message).toBe(
    'x.gz cannot be written (ENOSPC): no room is left; make room there, or name another place',
  )
})

test.each([
  ['EACCES', 'open', /this user may not; give this user the right/],
  ['EPERM', 'chmod', /this user may not/],
  ['EROFS', 'open', /read-only; name another place/],
  ['EISDIR', 'read', /it is a folder, where a file should be/],
  ['SQLITE_CANTOPEN', undefined, /this user may not/],
  ['SQLITE_FULL', undefined, /no room is left/],
])('%s is told in words', (code, syscall, said) => {
  expect(fileFault(system(code, syscall), '/data')?.message).toMatch(said)
})

test('what the network or the program said is no fault of a file', () => {
  for (const error of [
    system('ENOENT', 'connect', '/run/x.sock'),
    system('EACCES', 'listen'),
    system('ENOENT'),
  ]) {
    expect(fileFault(error, '/data')).toBeUndefined()
  }
  expect(fileFault(new TypeError('oops'), '/data')).toBeUndefined()
})

test('a missing file during a transaction is not told as a database out of reach', () => {
  const missing = thrownBy(() => readFileSync('/no/such/folder'))
  expect(translate(missing)).toBe(missing as Error)
  expect(translate(system('ENOENT', 'connect', '/run/x.sock'))).toBeInstanceOf(DatabaseUnavailable)
})
