import { expect, test } from 'bun:test'
import { KeyReader, keys } from '../../../web/src/palette/keys.ts'

const press = (key: string, more: Partial<KeyboardEvent> = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  isComposing: false,
  repeat: false,
  timeStamp: 0,
  ...more,
})

test('every key that the help lists does what it says', () => {
  for (const { press: pressed, command } of keys) {
    const reader = new KeyReader()
    const held = pressed.startsWith('Ctrl ')
    const last = pressed
      .replace('Ctrl ', '')
      .split(' ')
      .map(key => reader.read(press(key, { ctrlKey: held })))
    expect([pressed, last.at(-1)]).toEqual([pressed, command])
  }
})

test('nothing happens with other modifiers, while a word is composed, or while a key is held down', () => {
  const reader = new KeyReader()
  const nothing = [
    press('n', { ctrlKey: true }),
    press('n', { metaKey: true }),
    press('/', { altKey: true }),
    press('n', { isComposing: true }),
    press('n', { repeat: true }),
    press('k', { ctrlKey: true, altKey: true }),
    press('b'),
  ]
  expect(nothing.map(pressed => reader.read(pressed))).toEqual(nothing.map(() => undefined))
  expect(reader.read(press('ArrowDown', { repeat: true }))).toBe('older')
})

test('two keys belong together when nothing comes between and the second comes soon', () => {
  const reader = new KeyReader()
  const read = (key: string, timeStamp: number) => reader.read(press(key, { timeStamp }))
  expect([read('g', 0), read('b', 1_000)]).toEqual([undefined, 'board'])
  expect([read('g', 2_000), read('x', 2_100), read('b', 2_200)]).toEqual([undefined, undefined, undefined])
  expect([read('g', 3_000), read('b', 9_000)]).toEqual([undefined, undefined])
  expect([read('g', 10_000), read('g', 10_100), read('h', 10_200)]).toEqual([undefined, undefined, 'history'])
})
