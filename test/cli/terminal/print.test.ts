import { expect, test } from 'bun:test'
import {
  ago,
  bar,
  clip,
  columns,
  json,
  oneLine,
  paints,
  quantity,
  width,
} from '../../../cli/terminal/print.ts'
import { progress } from '../../../cli/terminal/progress.ts'

test('nothing that steers a terminal is left in a line of text', () => {
  const hostile = 'a\x1b[31mred\x1b]0;title\x07\x9b2J\x7f\r\nb\u202Ec\u2066d\u2028e\ud800f\0'
  const line = oneLine(hostile)
  expect(line).not.toMatch(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u)
  expect(line).toBe('a�[31mred�]0;title��2J� b�c�d e�f�')
})

test('ordinary text in any script stays as it is', () => {
  for (const text of ['Größe', '電源が入らない', 'מתג', '👩‍🔧 fixed it', 'naïve — “quoted”']) {
    expect(oneLine(text)).toBe(text)
  }
})

test('JSON holds the same data and no byte that a terminal would obey', () => {
  const value = { a: 'x\x1b\x9b\x7f\u202e\u2028y\n', b: ['電', '👍'] }
  const text = json(value)
  expect(text).not.toMatch(/[\p{Cc}\u2028\u202e]/u)
  expect(JSON.parse(text)).toEqual(value)
})

test('columns line up by what is seen, not by characters', () => {
  const [first, second] = columns(
    [
      ['電源', '7', 'x'],
      ['abcdef', '12', 'y'],
    ],
    [{}, { align: 'right' }, {}],
  )
  expect(first).toBe('電源     7  x')
  expect(second).toBe('abcdef  12  y')
})

test('a row never grows beyond the terminal, also with wide characters', () => {
  const rows = columns([['電'.repeat(50), '字'.repeat(80)]], [{ most: 20 }, {}], 60)
  expect(width(rows[0]!)).toBeLessThanOrEqual(60)
  expect(rows[0]).toContain('…')
  expect(width(clip('電'.repeat(10), 7))).toBeLessThanOrEqual(7)
})

test('a bar shows anything above zero and is full at the most', () => {
  expect(bar(0, 10, 8)).toBe('')
  expect(bar(1, 100_000, 8)).toBe('▏')
  expect(bar(10, 10, 8)).toBe('████████')
  expect(bar(5, 10, 8)).toBe('████')
})

test('times are told as people tell them', () => {
  const now = new Date('2026-11-21T12:00:00Z')
  const before = (seconds: number) => ago(new Date(now.getTime() - seconds * 1000), now)
  expect(before(-5)).toBe('just now')
  expect(before(10)).toBe('just now')
  expect(before(180)).toBe('3 min ago')
  expect(before(7_200)).toBe('2 h ago')
  expect(before(86_400)).toBe('yesterday')
  expect(before(5 * 86_400)).toBe('5 days ago')
  expect(before(90 * 86_400)).toBe('2026-08-23')
})

test('quantities are grouped and counted in the right number', () => {
  expect(quantity(1, 'defect')).toBe('1 defect')
  expect(quantity(1_234_567, 'defect')).toBe('1 234 567 defects')
})

test('without colour no escape sequence is written', () => {
  expect(paints(false).bad('x')).toBe('x')
  expect(paints(true).bad('x')).toBe('\x1b[31mx\x1b[0m')
})

test('a progress bar is drawn where somebody watches and nowhere else', () => {
  const written: string[] = []
  const seen = progress('Working', true, text => written.push(text))
  seen.at(1, 2)
  seen.end()
  expect(written[0]).toContain('50 %')
  expect(written.at(-1)).toBe('\r\x1b[2K')
  const unseen = progress('Working', false, text => written.push(text))
  const before = written.length
  unseen.at(1, 2)
  unseen.end()
  expect(written.length).toBe(before)
})
