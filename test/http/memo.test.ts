import { expect, test } from 'bun:test'
import { memoized } from '../../server/http/memo.ts'

function counted(most: number) {
  const asked: string[] = []
  const judge = memoized(most, text => {
    asked.push(text)
    return text === 'none' ? undefined : text.length
  })
  return { asked, judge }
}

test('what was judged is not judged again, whatever was said', () => {
  const { asked, judge } = counted(10)
  expect(['a', 'none', 'a', 'none'].map(judge)).toEqual([1, undefined, 1, undefined])
  expect(asked).toEqual(['a', 'none'])
})

test('no more is remembered than allowed, and nothing long', () => {
  const { asked, judge } = counted(2)
  for (const text of ['a', 'b', 'c', 'a']) judge(text)
  expect(asked).toEqual(['a', 'b', 'c', 'a'])
  const long = 'x'.repeat(1_000)
  expect([judge(long), judge(long)]).toEqual([1_000, 1_000])
  expect(asked.filter(text => text === long)).toHaveLength(2)
})
