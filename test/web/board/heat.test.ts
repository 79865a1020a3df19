import { expect, test } from 'bun:test'
import { range, stepOf, steps } from '../../../web/src/board/heat.ts'

test('nothing reported anywhere has no steps', () => {
  expect(steps(0)).toEqual([])
  expect(stepOf(0, [])).toBe(0)
})

test.each([1, 2, 3, 4, 5, 6, 7, 9, 12, 19, 100, 12_345])(
  'steps up to %d are whole, adjoining and at most five',
  worst => {
    const scale = steps(worst)
    expect(scale.length).toBe(Math.min(5, worst))
    expect(scale[0]?.from).toBe(1)
    expect(scale.at(-1)?.to).toBe(worst)
    for (const [index, { from, to, step }] of scale.entries()) {
      expect(to).toBeGreaterThanOrEqual(from)
      if (index) expect(from).toBe(scale[index - 1]!.to + 1)
      if (index) expect(step).toBeGreaterThan(scale[index - 1]!.step)
    }
  },
)

test('zero is a step of its own, and the worst is the hottest', () => {
  const scale = steps(19)
  expect(stepOf(0, scale)).toBe(0)
  expect(stepOf(1, scale)).toBe(1)
  expect(stepOf(19, scale)).toBe(5)
  expect(stepOf(20, scale)).toBe(5)
  expect(scale.map(range)).toEqual(['1–4', '5–8', '9–12', '13–16', '17–19'])
})
