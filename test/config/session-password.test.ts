import { expect, test } from 'bun:test'
import { generateSessionPassword, isStrongPassword } from '../../server/config/session-password.ts'

test.each([
  ['a repeated digit row', '0123456789'.repeat(4)],
  ['the alphabet', 'abcdefghijklmnopqrstuvwxyz0123456789'],
  ['the alphabet backwards', 'zyxwvutsrqponmlkjihgfedcba9876543210'],
  ['every second letter', 'acegikmoqsuwybdfhjlnprtvxz0246813579'],
  ['a repeated letter', 'a'.repeat(64)],
  ['letters in pairs', 'aabbccddeeffgghhiijjkkllmmnnoopp'],
  ['digits in threes', '111222333444555666777888999000aaabbb'],
  ['rows of a keyboard', 'qwertyuiopasdfghjklzxcvbnm1234567890'],
  ['rows of a French keyboard', 'azertyuiopqsdfghjklmwxcvbn1234567890'],
  ['two rows in turn', '1q2w3e4r5t6y7u8i9o0p1q2w3e4r5t6y7u'],
  ['a word again and again', 'changemechangemechangemechangeme'],
  ['a mixed word again and again', 'Passw0rd!Passw0rd!Passw0rd!Passw0rd!'],
  ['a mixed word and digits', 'Password1234567890Password1234567890'],
  ['counting on', '0102030405060708091011121314151617'],
  ['what is short', 'k3J9x0QmZ7pLw2VbN8cRt5YhUf1GdSa'],
])('%s is weak', (_, password) => {
  expect(isStrongPassword(password)).toBe(false)
})

test.each([
  'correct horse battery staple, and more',
  'k3J9x0QmZ7pLw2VbN8cRt5YhUf1GdSaE',
  '4f8a1c0e9b7d2635f0a86c3e1d9b5724',
])('%s is strong enough', password => {
  expect(isStrongPassword(password)).toBe(true)
})

test('what the program generates is always taken', () => {
  const refused = Array.from({ length: 2_000 }, generateSessionPassword).filter(
    password => !isStrongPassword(password),
  )
  expect(refused).toEqual([])
})
