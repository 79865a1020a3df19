import { t } from 'elysia'
import { Body, Text } from '../wire.ts'
import { FormatQuery } from './export.ts'
import { having } from './fields.ts'
import { narrowedBy } from './narrowing.ts'

export const DefectBody = Body(having('given'))
export type DefectBody = typeof DefectBody.static

export const FeedQuery = t.Object({
  limit: t.Optional(Text('limit-200', '1 to 200, 50 without it.')),
  ...narrowedBy('section', 'project', 'q', 'since'),
  before: t.Optional(t.String({ description: 'The cursor of a `Link` to the next page.' })),
})

export const ExportQuery = t.Object({
  format: FormatQuery,
  ...narrowedBy('section', 'project', 'q', 'since'),
})

export const Counts = t.Record(t.String(), t.Integer())
export type Counts = typeof Counts.static

export const TrendsQuery = t.Object({
  days: t.Optional(Text('days', 'Today (UTC) and the days before, 30d without it.')),
  back: t.Optional(Text('days-back', 'So many days earlier, 0 to 366, for comparison.')),
  ...narrowedBy('project'),
})

export const Trends = t.Object({
  from: t.String({ format: 'date', description: 'The first day (UTC).' }),
  days: t.Integer(),
  sections: t.Record(t.String(), t.Array(t.Integer()), { description: 'One number a day, oldest first.' }),
})
export type Trends = typeof Trends.static

export const CountsQuery = t.Object({
  by: t.Optional(t.Literal('project', { description: 'By project, not by section.' })),
  ...narrowedBy('section', 'project', 'since'),
})
