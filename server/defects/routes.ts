import { Elysia, t } from 'elysia'
import { signedIn } from '../auth/guards.ts'
import { createCoalesce } from '../coalesce.ts'
import type { Deps } from '../deps.ts'
import { Refusal } from '../errors.ts'
import { JSON_TYPE } from '../wire.ts'
import { isKnownSection, sectionCounts } from './counts.ts'
import { readCursor } from './cursor.ts'
import { type FeedRequest, readFeed } from './feed.ts'
import { Counts, CountsQuery, DefectBody, FeedEntry, FeedQuery } from './model.ts'
import { reportDefect, unknownSection } from './report.ts'

interface Answer {
  bytes: Uint8Array<ArrayBuffer>
  link?: string
}

const utf8 = new TextEncoder()
const serialised = (value: unknown) => utf8.encode(JSON.stringify(value))

export const defectRoutes = ({ db, board, push }: Pick<Deps, 'db' | 'board' | 'push'>) => {
  const coalesce = createCoalesce<Answer>()

  return new Elysia({ name: 'defects' })
    .use(signedIn)
    .get(
      '/api/defects',
      async ({ query }) => {
        const asked = feedRequest(query)
        if (asked.section !== undefined && !(await isKnownSection(db, board, asked.section))) {
          throw unknownSection('invalid_query', 'section')
        }
        const key = `feed ${asked.limit} ${query.section ?? ''} ${query.before ?? ''}`
        return respond(
          await coalesce(key, async () => {
            const { entries, next } = await readFeed(db, asked)
            return { bytes: serialised(entries), ...(next ? { link: linkToNext(asked, next) } : {}) }
          }),
        )
      },
      { query: FeedQuery, response: { 200: t.Array(FeedEntry) } },
    )
    .get(
      '/api/defects/counts',
      async ({ query: { since } }) => {
        const days = since === undefined ? undefined : Number.parseInt(since, 10)
        return respond(
          await coalesce(`counts ${days}`, async () => ({
            bytes: serialised(await sectionCounts(db, board, days)),
          })),
        )
      },
      { query: CountsQuery, response: { 200: Counts } },
    )
    .post(
      '/api/defects',
      async ({ body, visitor, request, status }) => {
        const { entry, created } = await reportDefect(
          { db, board, push },
          {
            sectionId: body.section_id,
            projectId: body.project_id,
            verbatim: body.verbatim,
            reporter: visitor.email,
            idempotencyKey: idempotencyKey(request),
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
  return {
    limit: Number(query.limit ?? 50),
    ...(query.section === undefined ? {} : { section: query.section }),
    ...(before ? { before } : {}),
  }
}

function linkToNext({ limit, section }: FeedRequest, cursor: string): string {
  const only = section === undefined ? '' : `&section=${encodeURIComponent(section)}`
  return `</api/defects?limit=${limit}${only}&before=${cursor}>; rel="next"`
}

function idempotencyKey(request: Request): string | undefined {
  const key = request.headers.get('idempotency-key')
  if (key === null) return undefined
  // A header that came twice arrives joined by a comma and a space.
  if (/^[\x21-\x7E]{1,64}$/.test(key)) return key
  throw new Refusal('invalid_header', [
    { field: 'Idempotency-Key', message: 'must be 1 to 64 visible ASCII characters, given once' },
  ])
}
