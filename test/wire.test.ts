import { expect, test } from 'bun:test'
import { t } from 'elysia'
import { faultsOf, Text } from '../server/wire.ts'

const schema = t.Object({ since: Text('days'), back: t.Optional(Text('days')) })

test('what must be there is missed, what may be left out is not, and both are judged when they are there', () => {
  expect(faultsOf(schema, { since: '7d' })).toEqual([])
  expect(faultsOf(schema, {})).toEqual([{ field: 'since', message: 'is missing' }])
  expect(faultsOf(schema, { since: '0d', back: 'x' }).map(({ field }) => field)).toEqual(['since', 'back'])
})
