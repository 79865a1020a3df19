import { expect, spyOn, test } from 'bun:test'
import { codePoints, nameFault, textFault, trim } from '../server/text.ts'

test('trim takes every Unicode white space, and nothing within', () => {
  const spaces = ' \t\n\v\f\r\u0085\u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000\ufeff'
  expect(trim(`${spaces}a b${spaces}`)).toBe('a b')
  expect(trim(spaces)).toBe('')
})

test('length is counted in code points', () => {
  expect(codePoints('a𝔸👍')).toBe(3)
  expect(textFault('𝔸'.repeat(10), 10)).toBeUndefined()
  expect(textFault('𝔸'.repeat(11), 10)).toContain('at most 10')
})

test('a text that shows nothing is blank', () => {
  for (const blank of ['', ' ', '\u200b', '\u2060', '\u00ad', '\u2800', '\u3164', '\u180e\u200d', '\u0007']) {
    expect(textFault(blank, 10)).toBe('must not be blank')
  }
  expect(textFault('.', 10)).toBeUndefined()
})

test('a name takes joiners and flags, and no character that only deceives', () => {
  for (const name of ['👩‍👩‍👧', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', 'می‌خواهم', 'Zoë']) expect(nameFault(name, 120)).toBeUndefined()
  for (const name of ['a\u202eb', 'a\u200bb', 'a\u2066b', 'a\u00adb', 'a\u0085b'])
    expect(nameFault(name, 120)).toBeString()
})

test('a name of thousands of combining marks is judged before they are put in order, which takes seconds', () => {
  const normalize = spyOn(String.prototype, 'normalize')
  expect(nameFault(`a${'\u0301'.repeat(15_000)}${'\u0316'.repeat(15_000)}`, 120)).toContain('at most 120')
  expect(normalize).not.toHaveBeenCalled()
  normalize.mockRestore()
})

test('a name is as long as it is composed', () => {
  expect(nameFault('\u1f82'.normalize('NFD').repeat(120), 120)).toBeUndefined()
  expect(nameFault('\u1f82'.normalize('NFD').repeat(121), 120)).toContain('at most 120')
  expect(nameFault(` ${'👍'.repeat(120)}${' '.repeat(10_000)}`, 120)).toBeUndefined()
})
