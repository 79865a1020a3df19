import { expect, test } from 'bun:test'
import { getTableColumns } from 'drizzle-orm'
import { defects } from '../../server/db/schema.ts'
import { FeedEntry } from '../../server/defects/entry.ts'
import { columns, storedFields } from '../../server/defects/fields.ts'
import { DefectBody } from '../../server/defects/model.ts'

test('every column of a defect is a field of its name, and every field has a column of its own', () => {
  const own = Object.values(getTableColumns(defects))
  expect(Object.fromEntries(storedFields.map(([name, { column }]) => [name, column]))).toEqual(
    Object.fromEntries(own.map(column => [column.name, column])),
  )
  expect(new Set(Object.values(columns)).size).toBe(Object.keys(columns).length)
})

test('a reporter gives where, what and for which project; an entry adds who and when, and no key', () => {
  expect(Object.keys(DefectBody.properties)).toEqual(['section_id', 'project_id', 'verbatim'])
  expect(Object.keys(FeedEntry.properties)).toEqual([
    'id',
    'section_id',
    'project_id',
    'project_name',
    'verbatim',
    'reporter',
    'created_at',
  ])
})
