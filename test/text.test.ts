import { expect, test } from 'bun:test'
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
