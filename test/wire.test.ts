import { expect, test } from 'bun:test'
import { t } from 'elysia'
import { faultsOf, Text } from '../server/wire.ts'

const schema = t.Object({ since: Text('days'), back: t.Optional(Text('days')) })

test('who gives none of the words that there are is told them', () => {
  const words = t.Object({ size: t.Union([t.Literal('small'), t.Literal('large')]) })
  expect(faultsOf(words, { size: 'large' })).toEqual([])
  expect(faultsOf(words, { size: 'huge' })).toEqual([
    { field: 'size', message: 'must be one of small, large' },
  ])
})

test('what must be there is missed, what may be left out is not, and both are judged when they are there', () => {
  expect(faultsOf(schema, { since: '7d' })).toEqual([])
  expect(faultsOf(schema, {})).toEqual([{ field: 'since', message: 'is missing' }])
  expect(faultsOf(schema, { since: '0d', back: 'x' }).map(({ field }) => field)).toEqual(['since', 'back'])
})
