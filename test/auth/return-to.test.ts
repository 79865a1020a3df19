import { describe, expect, test } from 'bun:test'
import { safeReturnTo, withReturnTo } from '../../server/auth/return-to.ts'

describe('after sign-in', () => {
  test.each([
    '/',
    '/sections/usb-port',
    '/sections/usb-port?since=7d',
    '/?section=usb-port&q=a%20b',
    '/board.svg',
    '/authors',
    '/login-help',
    '/?days=30d&project=0190a6e0-1c2d-7e3f-8a4b-5c6d7e8f9a0b',
  ])('people come back to %s', path => {
    expect(safeReturnTo(path)).toBe(path)
  })

  test.each([
    null,
    undefined,
    '',
    'sections/usb-port',
    'https://evil.test',
    'https:evil.test',
    'http:evil',
    '//evil',
    '///evil',
    '/\\evil',
    '\\\\evil',
    '\\/evil',
    '/\t/evil',
    '/ /evil',
    '/\v/evil',
    '/\r\n/evil',
    '/\r\nLocation: https://evil.test',
    '\t//evil',
    ' /evil',
    '/./\\evil',
    '/..//evil',
    '/../evil',
    '/.',
    '/..',
    '/x/../../evil',
    '/%2f%2fevil',
    '/%5cevil',
    '/%09/evil',
    '/%2e%2e/evil',
    'javascript:alert(1)',
    'data:text/html,x',
    '/@evil',
    '/evil%E3%80%82test',
    '〱evil',
    '/〱evil',
    '/x//evil',
    '/x?y\n',
    '/x?%zz',
    '/x#y',
    '/x?y"><script>',
    '/auth',
    '/auth/test',
    '/auth/logout?x',
    '/AUTH/test',
    '/login',
    '/login?return_to=/login',
    '/login/',
    '/api',
    '/api/defects',
    '/api?x',
  ])('%j becomes the board', path => {
    expect(safeReturnTo(path)).toBe('/')
  })

  test('people come back to pages of at most 4 096 characters', () => {
    const longest = `/?q=${'x'.repeat(4_092)}`
    expect(safeReturnTo(longest)).toBe(longest)
    expect(safeReturnTo(`${longest}x`)).toBe('/')
  })

  test('every one-character change of an attack lands on our own origin', () => {
    const odd = ['/', '\\', '.', '@', ':', '%', '\t', '\u0000', '〱', 'a', '?', '#', ';']
    for (const a of odd) {
      for (const b of odd) {
        for (const c of odd) {
          const path = safeReturnTo(`/${a}${b}${c}evil.test`)
          expect(new URL(path, 'https://faultline.example.com').origin).toBe('https://faultline.example.com')
          expect(path).toMatch(/^\/(?![/\\])/)
        }
      }
    }
  })
})

test('a link says where to come back to, unless that is the board', () => {
  expect(withReturnTo('/login', '/')).toBe('/login')
  expect(withReturnTo('/login', '/a?b=c&d=e')).toBe('/login?return_to=%2Fa%3Fb%3Dc%26d%3De')
  expect(withReturnTo('/auth/test', '/', { prompt: 'select_account' })).toBe(
    '/auth/test?prompt=select_account',
  )
})
