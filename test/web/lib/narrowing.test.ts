import { describe, expect, test } from 'bun:test'
import { asQuery, inAddress, type Narrowed, narrowedIn } from '../../../web/src/lib/narrowing.ts'

const views: Narrowed[] = []
for (const section of [undefined, 'usb-port'])
  for (const project of [undefined, '0190a6e0-1c2d-7e3f-8a4b-5c6d7e8f9a0b'])
    for (const q of [undefined, 'loose', ' two  words ', 'a&b=c#d?e%20+f', '電源 👩‍🔧', '0'])
      for (const days of [undefined, 1, 30, 366]) views.push({ section, project, q, days })

test('whatever is looked at comes back from its address', () => {
  for (const view of views) expect(narrowedIn(inAddress(view))).toEqual(JSON.parse(JSON.stringify(view)))
  expect(new Set(views.map(inAddress)).size).toBe(views.length)
})

test('nothing narrowed is no query at all', () => {
  expect(inAddress({})).toBe('')
  expect(inAddress({ q: '', days: 0 })).toBe('')
  expect(asQuery({ days: 7, q: 'loose' })).toEqual({ q: 'loose', since: '7d' })
})

describe.each([
  ['days', ['0d', '367d', '7', '-1d', '07d', '1e1d', 'd']],
  ['q', ['', ' ', '\u2003']],
  ['section', ['']],
  ['other', ['x']],
])('%s', (name, values) => {
  test.each(values)('that cannot be is left out: "%s"', value => {
    expect(narrowedIn(`?${new URLSearchParams([[name, value]])}`)).toEqual({})
  })
})

test('more words than the server takes are cut between characters', () => {
  const { q } = narrowedIn(inAddress({ q: '👩'.repeat(300) }))
  expect(q).toBe('👩'.repeat(200))
})
