import { t } from 'elysia'
import { columns, having } from './fields.ts'

/** A defect as everybody reads it. */
export const FeedEntry = t.Object(having('shown'))
export type FeedEntry = typeof FeedEntry.static

export const entryNames = Object.keys(FeedEntry.properties) as (keyof FeedEntry)[]

export const entryColumns = Object.fromEntries(entryNames.map(name => [name, columns[name]])) as {
  [N in keyof FeedEntry]: (typeof columns)[N]
}

/** A row with these columns, and perhaps more, as an entry. */
export function toEntry(row: Record<keyof FeedEntry, unknown>): FeedEntry {
  return Object.fromEntries(entryNames.map(name => [name, onWire(row[name])])) as unknown as FeedEntry
}

const onWire = (value: unknown) => (value instanceof Date ? value.toISOString() : value)
