import { afterAll, expect, test } from 'bun:test'
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createFile, PRIVATE, replaceFile, textOf } from '../server/whole-file.ts'
import { home } from './support/cli.ts'

const place = home()
afterAll(() => place.remove())
const read = (name: string) => readFileSync(place.file(name), 'utf8')

test('a new file is written whole, and nothing else is left behind', () => {
  expect(replaceFile(place.file('new.svg'), 'first', { keepOld: true })).toBeUndefined()
  expect(read('new.svg')).toBe('first')
  expect(readdirSync(place.path)).toEqual(['new.svg'])
})

test('an old file is kept beside the new one, with its rights, and never over another kept one', () => {
  const file = place.file('old.svg')
  writeFileSync(file, 'one')
  chmodSync(file, 0o640)
  expect(replaceFile(file, 'two', { keepOld: true })).toBe(`${file}.bak`)
  expect(replaceFile(file, 'three', { keepOld: true })).toBe(`${file}.bak.2`)
  expect(replaceFile(file, 'four')).toBeUndefined()
  expect(['old.svg', 'old.svg.bak', 'old.svg.bak.2'].map(read)).toEqual(['four', 'one', 'two'])
  expect(statSync(file).mode & 0o777).toBe(0o640)
})

test('a link stays a link: what it leads to is replaced', () => {
  writeFileSync(place.file('real.svg'), 'one')
  symlinkSync('real.svg', place.file('link.svg'))
  replaceFile(place.file('link.svg'), 'two', { keepOld: true })
  expect(read('real.svg')).toBe('two')
  expect(textOf(place.file('link.svg'))).toBe('two')
})

test('a fault keeps the old file untouched and leaves nothing half written', () => {
  const long = place.file(`${'x'.repeat(250)}.s`)
  writeFileSync(long, 'one')
  expect(() => replaceFile(long, 'two', { keepOld: true })).toThrow(/cannot be written/)
  expect(textOf(long)).toBe('one')
  for (let count = 1; count <= 1000; count++)
    writeFileSync(place.file(count === 1 ? 'full.svg.bak' : `full.svg.bak.${count}`), '')
  writeFileSync(place.file('full.svg'), 'one')
  expect(() => replaceFile(place.file('full.svg'), 'two', { keepOld: true })).toThrow(/cannot be written/)
  expect(read('full.svg')).toBe('one')
  mkdirSync(place.file('folder.svg'))
  expect(() => replaceFile(place.file('folder.svg'), 'two', { keepOld: true })).toThrow(/it is a folder/)
  expect(() => replaceFile(place.file('none/x.svg'), 'two', { keepOld: true })).toThrow(
    /its folder is not there/,
  )
  expect(readdirSync(place.path).filter(name => name.endsWith('.new'))).toEqual([])
})

test('a private file is so from its first byte, also in place of one that others could read', () => {
  const file = place.file('private')
  createFile(file, 'x', PRIVATE)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(() => createFile(file, 'y', PRIVATE)).toThrow('EEXIST')
  chmodSync(file, 0o644)
  replaceFile(file, 'y', { mode: PRIVATE })
  expect([read('private'), statSync(file).mode & 0o777]).toEqual(['y', 0o600])
})
