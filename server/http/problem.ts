import type { RenderPage } from '../deps.ts'
import { catalogue, DatabaseUnavailable, type ErrorCode, type FieldFault, Refusal } from '../errors.ts'
import type { Log } from '../log.ts'
import { messagePage } from './document.ts'

export interface Answering {
  requestId: string
  /** problem+json for callers of the API, a page for everybody else */
  inApi: boolean
}

export type Refuse = ReturnType<typeof createRefuse>

/** Turns an error of the catalogue into its response. */
export function createRefuse(render: RenderPage) {
  return (
    code: ErrorCode,
    { requestId, inApi }: Answering,
    { faults = [], headers = {} }: { faults?: FieldFault[]; headers?: Record<string, string> } = {},
  ): Response => {
    const [status, title, detail] = catalogue[code]
    const more = status === 503 ? { 'retry-after': '2', ...headers } : headers
    if (!inApi) return messagePage(render, { status, title, detail, headers: more })
    const body = { type: 'about:blank', title, status, code, detail, request_id: requestId }
    return new Response(JSON.stringify(faults.length ? { ...body, errors: faults } : body), {
      status,
      headers: { 'content-type': 'application/problem+json; charset=utf-8', ...more },
    })
  }
}

/** The one mapper from what was thrown to what the outside may see. */
export function createErrorMapper(refuse: Refuse, log: Log) {
  return (error: unknown, answering: Answering): Response => {
    const request_id = answering.requestId
    if (error instanceof Refusal) return refuse(error.code, answering, { faults: error.faults })
    if (error instanceof DatabaseUnavailable) {
      log.warn('the database is unavailable', { request_id, reason: error.message })
      return refuse('database_unavailable', answering)
    }
    const { message, stack } = error instanceof Error ? error : new Error(String(error))
    log.error('a request failed', { request_id, error: message, stack })
    return refuse('internal', answering)
  }
}
