import { expect, test } from 'bun:test'
import { buckets, countsAt, dayAfter, line, weeks } from '../../../web/src/insight/series.ts'

test('a month is told by days, a longer time by whole weeks that end today', () => {
  expect(buckets('2026-11-25', [1, 0, 2])).toEqual([
    { from: '2026-11-25', count: 1 },
    { from: '2026-11-26', count: 0 },
    { from: '2026-11-27', count: 2 },
  ])
  const counts = Array.from({ length: 366 }, (_, day) => (day < 2 ? 100 : 1))
  const told = buckets('2025-12-01', counts)
  expect(told).toHaveLength(52)
  expect(told.at(-1)).toEqual({ from: '2026-11-25', count: 7 })
  expect(told[0]).toEqual({ from: '2025-12-03', count: 7 })
  expect(weeks('2026-11-25', [1, 2])).toEqual([])
})

test('days are counted across months and years', () => {
  expect([dayAfter('2026-12-31', 1), dayAfter('2028-02-28', 1)]).toEqual(['2027-01-01', '2028-02-29'])
})

test('a line begins and ends inside its picture, at the bottom for nothing and at the top for the most', () => {
  expect(line([0, 4, 2], 64, 20)).toBe('M1 18.5L32 1.5L63 10')
  expect(line([0, 0], 64, 20)).toBe('M1 18.5L63 18.5')
})

test('an earlier day shows what there was until then, and the last day what there is', () => {
  const days = { from: '2026-11-01', days: 4, sections: { a: [9, 1, 2, 3], b: [0, 0, 0, 1] } }
  const now = { a: 20, b: 1, c: 5 }
  expect(countsAt(days, now, 3, 2)).toEqual(now)
  expect(countsAt(days, now, 3, 1)).toEqual({ a: 17, b: 0, c: 5 })
  expect(countsAt(days, now, 3, 0)).toEqual({ a: 15, b: 0, c: 5 })
})
