import { expect, test } from 'bun:test'
import { compact, defects, range, stepOf, steps } from '../../../web/src/board/heat.ts'

test('nothing reported anywhere has no steps', () => {
  expect(steps([0, 0])).toEqual([])
  expect(stepOf(0, [])).toBe(0)
})

test.each([
  [[1]],
  [[3, 0, 3]],
  [[1, 2]],
  [[5, 9, 9, 40]],
  [[1, 1, 2, 3, 5, 8, 13]],
  [[7, 7, 7, 1_000_000]],
  [Array.from({ length: 40 }, (_, n) => n * n)],
])('the steps of %j are whole, adjoining, at most five, and each has a section', counts => {
  const scale = steps(counts)
  const numbers = new Set(counts.filter(Boolean))
  expect(scale.length).toBe(Math.min(5, numbers.size))
  expect(scale[0]?.from).toBe(1)
  expect(scale.at(-1)?.to).toBe(Math.max(...counts))
  for (const [index, { from, to, step }] of scale.entries()) {
    expect(step).toBe(index + 1)
    if (index) expect(from).toBe(scale[index - 1]!.to + 1)
    expect([...numbers].some(count => from <= count && count <= to)).toBe(true)
  }
})

test('one that stands out does not make the others look the same', () => {
  const scale = steps([0, 1, 2, 3, 4, 100_000])
  expect([0, 1, 2, 3, 4, 100_000].map(count => stepOf(count, scale))).toEqual([0, 1, 2, 3, 4, 5])
  expect(scale.map(range)).toEqual(['1', '2', '3', '4', '5–100K'])
})

test('what grew past the scale is as hot as its hottest', () => {
  expect(stepOf(20, steps([1, 5, 19]))).toBe(3)
})

test('numbers are exact while there is room, then short; in words they are always exact', () => {
  expect([0, 9_999, 12_345, 123_456, 1_000_000, 1_249_000].map(compact)).toEqual([
    '0',
    '9999',
    '12.3K',
    '123K',
    '1M',
    '1.25M',
  ])
  expect([1, 1_000_000].map(defects)).toEqual(['1 defect', '1,000,000 defects'])
})
