import { t } from 'elysia'
import { Body, Text } from '../wire.ts'
import { having } from './fields.ts'
import { narrowedBy } from './narrowing.ts'

export const DefectBody = Body(having('given'))
export type DefectBody = typeof DefectBody.static

export const FeedQuery = t.Object({
  limit: t.Optional(Text('limit-200', '1 to 200, 50 without it.')),
  ...narrowedBy('section'),
  before: t.Optional(t.String({ description: 'The cursor of a `Link` to the next page.' })),
})

export const Counts = t.Record(t.String(), t.Integer())
export type Counts = typeof Counts.static

export const CountsQuery = t.Object(narrowedBy('since'))
