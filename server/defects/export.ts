import { stringify } from 'csv-stringify/sync'
import type { Database } from '../db/database.ts'
import { Refusal } from '../errors.ts'
import { OneOf } from '../wire.ts'
import { entryNames, type FeedEntry } from './entry.ts'
import { feedPages } from './feed.ts'
import type { Narrowing } from './narrowing.ts'

interface Format {
  mediaType: string
  header: string
  rows(entries: FeedEntry[]): string
}

const formats = {
  csv: {
    mediaType: 'text/csv; charset=utf-8',
    header: `\ufeff${csv([[...entryNames]])}`,
    rows: entries => csv(entries.map(entry => entryNames.map(name => defused(entry[name])))),
  },
  ndjson: {
    mediaType: 'application/x-ndjson; charset=utf-8',
    header: '',
    rows: entries => entries.map(entry => `${JSON.stringify(entry)}\n`).join(''),
  },
} satisfies Record<string, Format>

export type FormatName = keyof typeof formats
export const formatNames = Object.keys(formats) as FormatName[]
export const FormatQuery = OneOf(formatNames)

function csv(rows: string[][]): string {
  return stringify(rows, { record_delimiter: 'windows' })
}

/** What a spreadsheet would take for a formula, it takes for text. */
const defused = (text: string) => (/^[=+\-@\p{Cc}]/u.test(text) ? `'${text}` : text)

/** The whole narrowing, page by page; nothing is held between two pages. */
export async function* exported(
  db: Database,
  format: FormatName,
  narrowing: Narrowing,
): AsyncGenerator<string, void> {
  const { header, rows } = formats[format]
  if (header) yield header
  for await (const page of feedPages(db, narrowing)) if (page.length) yield rows(page)
}

const AT_ONCE = 2

/** Downloads, so many at once: each reads the whole of what it narrows to. */
export function createDownloads(db: Database) {
  let underWay = 0

  return (
    format: FormatName,
    narrowing: Narrowing,
    { method }: Request,
    broke: (error: unknown) => void = () => {},
  ): Response => {
    const { mediaType } = formats[format]
    const headers = {
      'content-type': mediaType,
      'content-disposition': `attachment; filename="defects.${format}"`,
    }
    if (method === 'HEAD') return new Response(null, { headers })
    if (underWay >= AT_ONCE) throw new Refusal('downloads_busy')
    underWay++
    const text = exported(db, format, narrowing)
    let open = true
    const close = () => {
      if (open) underWay--
      open = false
    }
    const encoder = new TextEncoder()
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        try {
          const { done, value } = await text.next()
          if (!done) return controller.enqueue(encoder.encode(value))
          close()
          controller.close()
        } catch (error) {
          close()
          broke(error)
          controller.error()
        }
      },
      cancel: close,
    })
    return new Response(body, { headers })
  }
}
