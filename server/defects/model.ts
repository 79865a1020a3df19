import { t } from 'elysia'
import { Body, Text } from '../wire.ts'

export const FeedEntry = t.Object({
  id: t.String({ format: 'uuid' }),
  section_id: t.String(),
  project_id: t.String({ format: 'uuid' }),
  project_name: t.String(),
  verbatim: t.String(),
  reporter: t.String(),
  created_at: t.String({ description: 'ISO 8601, UTC, three decimals.' }),
})
export type FeedEntry = typeof FeedEntry.static

export const DefectBody = Body({
  section_id: t.String({ description: 'A section of the board in use.' }),
  project_id: Text('canonical-uuid'),
  verbatim: Text('verbatim', 'What is wrong, in the words of the reporter; at most 5 000 characters.'),
})

export const FeedQuery = t.Object({
  limit: t.Optional(Text('limit-200', '1 to 200, 50 without it.')),
  section: t.Optional(t.String({ description: 'Only this section.' })),
  before: t.Optional(t.String({ description: 'The cursor of a `Link` to the next page.' })),
})

export const Counts = t.Record(t.String(), t.Integer())
export type Counts = typeof Counts.static

export const CountsQuery = t.Object({
  since: t.Optional(Text('days', 'Today (UTC) and the days before, such as 7d.')),
})
