import '../page.ts'
import { beforeEach, expect, test } from 'bun:test'
import { Finder, type Item, likeness } from '../../../web/src/palette/finder.svelte.ts'
import { newPage } from '../page.ts'

const labels = [
  'USB port',
  'HDMI port',
  'Audio jack',
  'Power jack',
  'SD card slot',
  'Düse',
  'Go to the board',
]
const items: Item[] = labels.map(label => ({
  id: label.replaceAll(' ', '-'),
  kind: 'Section',
  label,
  run() {},
}))
const finder = () => new Finder('alice@example.com', () => items)
const found = (query: string, of = finder()) => {
  of.type(query)
  return of.found.map(({ label }) => label)
}
beforeEach(newPage)

test.each([
  ['usb', 'USB port'],
  ['up', 'USB port'],
  ['hp', 'HDMI port'],
  ['pj', 'Power jack'],
  ['sdcs', 'SD card slot'],
  ['card slot', 'SD card slot'],
  ['duse', 'Düse'],
  ['gtb', 'Go to the board'],
])('%j finds %s first', (query, label) => {
  expect(found(query)[0]).toBe(label)
})

test('what does not have all letters in this order is not found', () => {
  expect(found('xyz')).toEqual([])
  expect(found('bsu')).toEqual([])
  expect(likeness('ba', 'xba at b')).toBeGreaterThanOrEqual(0)
})

test('a whole word is a better match than scattered letters', () => {
  expect(likeness('port', 'usb port')).toBeGreaterThan(likeness('port', 'power on reset'))
  expect(likeness('usb', 'usb port')).toBeGreaterThan(likeness('usb', 'rear usb'))
})

test('what was used last comes first, in a later visit too', () => {
  const first = finder()
  first.use(items[3]!)
  expect(found('')[0]).toBe('Power jack')
  expect(found('jack')).toEqual(['Power jack', 'Audio jack'])
  finder().use(items[2]!)
  expect(found('').slice(0, 2)).toEqual(['Audio jack', 'Power jack'])
})

test('the keyboard goes round, and begins at the best match after each letter', () => {
  const some = finder()
  some.type('jack')
  some.move(-1)
  expect(some.active).toBe(1)
  some.move(1)
  expect(some.active).toBe(0)
  some.move(1)
  some.type('jac')
  expect(some.active).toBe(0)
  some.type('nowhere')
  some.move(1)
  expect([some.active, some.found.length]).toEqual([0, 0])
})
