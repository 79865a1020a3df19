import { Elysia, t } from 'elysia'
import { answersUnder } from '../answer.ts'
import { contextOf, shared, signedIn } from '../auth/guards.ts'
import { coalesced } from '../coalesce.ts'
import type { Deps } from '../deps.ts'
import { Refusal } from '../errors.ts'
import type { CountsNarrowing } from './counters.ts'
import { projectCounts, sectionCounts } from './counts.ts'
import { readCursor } from './cursor.ts'
import { FeedEntry } from './entry.ts'
import { createDownloads } from './export.ts'
import { type FeedRequest, readFeed } from './feed.ts'
import { Counts, CountsQuery, DefectBody, ExportQuery, FeedQuery, Trends, TrendsQuery } from './model.ts'
import { missingValues, type Narrowing, narrowingValues } from './narrowing.ts'
import { findDefect } from './one.ts'
import { reportDefect } from './report.ts'
import { sectionTrends, type TrendsRequest } from './trends.ts'

export const defectRoutes = ({ db, board, push, log }: Pick<Deps, 'db' | 'board' | 'push' | 'log'>) => {
  const answer = answersUnder(board)
  const feed = coalesced(async (request: FeedRequest) => {
    await refuseMissing(request)
    const { entries, next } = await readFeed(db, request)
    return answer(entries, next && linkToNext(request, next))
  })
  const counts = coalesced(async ({ by, ...narrowing }: CountsNarrowing & { by?: 'project' }) => {
    await refuseMissing(narrowing)
    return answer(await (by ? projectCounts(db, narrowing) : sectionCounts(db, board, narrowing)))
  })
  const trends = coalesced(async (request: TrendsRequest) => {
    await refuseMissing(request)
    return answer(await sectionTrends(db, board, request))
  })

  const download = createDownloads(db)

  async function refuseMissing(narrowing: Narrowing): Promise<void> {
    const faults = await missingValues({ db, board }, narrowing)
    if (faults.length) throw new Refusal('invalid_query', faults)
  }

  return new Elysia({ name: 'defects' })
    .use(signedIn)
    .get(
      '/api/defects',
      ({ query, request }) => {
        const asked = feedRequest(query)
        return shared(request, () => feed(asked))
      },
      { query: FeedQuery, response: { 200: t.Array(FeedEntry) } },
    )
    .get(
      '/api/defects/counts',
      ({ query: { by, ...query }, request }) => {
        refuseOwnParts(by, query)
        const asked = { ...narrowingValues(query), ...(by && { by }) }
        return shared(request, () => counts(asked))
      },
      {
        query: CountsQuery,
        response: { 200: Counts },
      },
    )
    .get(
      '/api/defects/trends',
      ({ query: { days = '30d', back = '0', ...query }, request }) => {
        const span = { days: Number.parseInt(days, 10), back: Number(back) }
        const asked = { ...span, ...narrowingValues(query) }
        return shared(request, () => trends(asked))
      },
      { query: TrendsQuery, response: { 200: Trends } },
    )
    .get(
      '/api/defects/export',
      async ({ query: { format, ...query }, request }) => {
        await refuseMissing(query)
        const { requestId } = contextOf(request)
        return download(format, narrowingValues(query), request, error =>
          log.warn('a download broke', { request_id: requestId, reason: String(error) }),
        )
      },
      { query: ExportQuery },
    )
    .get(
      '/api/defects/:id',
      async ({ params: { id } }) => {
        const entry = await findDefect(db, String(id))
        if (!entry) throw new Refusal('not_found')
        return entry
      },
      // Elysia hands over nothing for what is no UTF-8: no such defect either.
      { params: t.Object({ id: t.Unknown({ description: 'A UUID.' }) }), response: { 200: FeedEntry } },
    )
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

/** Of one section the counts by section are a single number, and so of one project those by project. */
function refuseOwnParts(by: 'project' | undefined, query: CountsNarrowing): void {
  const field = by ?? 'section'
  if (query[field] === undefined) return
  const message = by ? 'goes with counts by section' : 'goes with by=project'
  throw new Refusal('invalid_query', [{ field, message }])
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
