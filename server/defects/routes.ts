import { Elysia, t } from 'elysia'
import { signedIn } from '../auth/guards.ts'
import { coalesced } from '../coalesce.ts'
import type { Deps } from '../deps.ts'
import { Refusal } from '../errors.ts'
import { JSON_TYPE } from '../wire.ts'
import { type CountsNarrowing, sectionCounts } from './counts.ts'
import { readCursor } from './cursor.ts'
import { FeedEntry } from './entry.ts'
import { type FeedRequest, readFeed } from './feed.ts'
import { Counts, CountsQuery, DefectBody, FeedQuery } from './model.ts'
import { missingValues, narrowingValues } from './narrowing.ts'
import { reportDefect } from './report.ts'

interface Answer {
  bytes: Uint8Array<ArrayBuffer>
  link?: string
}

const utf8 = new TextEncoder()
const serialised = (value: unknown) => utf8.encode(JSON.stringify(value))

export const defectRoutes = ({ db, board, push }: Pick<Deps, 'db' | 'board' | 'push'>) => {
  const feed = coalesced(async (request: FeedRequest): Promise<Answer> => {
    const { entries, next } = await readFeed(db, request)
    return { bytes: serialised(entries), ...(next ? { link: linkToNext(request, next) } : {}) }
  })
  const counts = coalesced(
    async (narrowing: CountsNarrowing): Promise<Answer> => ({
      bytes: serialised(await sectionCounts(db, board, narrowing)),
    }),
  )

  return new Elysia({ name: 'defects' })
    .use(signedIn)
    .get(
      '/api/defects',
      async ({ query }) => {
        const request = feedRequest(query)
        const faults = await missingValues({ db, board }, request)
        if (faults.length) throw new Refusal('invalid_query', faults)
        return respond(await feed(request))
      },
      { query: FeedQuery, response: { 200: t.Array(FeedEntry) } },
    )
    .get('/api/defects/counts', async ({ query }) => respond(await counts(narrowingValues(query))), {
      query: CountsQuery,
      response: { 200: Counts },
    })
    .post(
      '/api/defects',
      async ({ body, visitor, request, status }) => {
        const { entry, created } = await reportDefect(
          { db, board, push },
          {
            ...body,
            reporter: visitor.email,
            // A header that came twice arrives joined by a comma and a space, which no key may hold.
            idempotency_key: request.headers.get('idempotency-key'),
          },
        )
        return status(created ? 201 : 200, entry)
      },
      { body: DefectBody, response: { 200: FeedEntry, 201: FeedEntry } },
    )
}

function respond({ bytes, link }: Answer): Response {
  return new Response(bytes, {
    headers: link ? { 'content-type': JSON_TYPE, link } : { 'content-type': JSON_TYPE },
  })
}

function feedRequest(query: typeof FeedQuery.static): FeedRequest {
  const before = query.before === undefined ? undefined : readCursor(query.before)
  if (query.before !== undefined && !before) {
    throw new Refusal('invalid_query', [{ field: 'before', message: 'is not a cursor that a page gave out' }])
  }
  return { limit: Number(query.limit ?? 50), ...narrowingValues(query), ...(before ? { before } : {}) }
}

function linkToNext({ limit, ...narrowing }: FeedRequest, cursor: string): string {
  const query = new URLSearchParams({ limit: String(limit), ...narrowingValues(narrowing), before: cursor })
  return `</api/defects?${query}>; rel="next"`
}
