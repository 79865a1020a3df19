import { JSON_TYPE } from './wire.ts'

/** What several readers share. */
export interface Answer {
  /** handed to a response without being copied, as bytes would be */
  body: Blob
  etag: string
  headers: Headers
}

export const ofEveryAnswer = { 'x-content-type-options': 'nosniff', 'referrer-policy': 'same-origin' }

const common = { ...ofEveryAnswer, 'content-type': JSON_TYPE, 'cache-control': 'no-store' }

/** Serialises once a query. By the version an open page notices that the board is another. */
export function answersUnder({ svg }: { svg: string }) {
  const version = Bun.hash(svg).toString(36)
  return (value: unknown, link?: string): Answer => {
    const text = JSON.stringify(value)
    const etag = `"${Bun.hash(text, Bun.hash(link ?? '')).toString(36)}"`
    const headers = new Headers({ ...common, 'x-board-version': version, etag })
    if (link) headers.set('link', link)
    return { body: new Blob([text]), etag, headers }
  }
}

/** The answer, or 304 to who has it already. */
export function respond(request: Request, { body, etag, headers }: Answer): Response {
  if (!isKnown(request, etag)) return new Response(body, { headers })
  const response = new Response(null, { status: 304, headers })
  response.headers.delete('content-type')
  return response
}

/** `If-None-Match`, compared weakly. */
export function isKnown({ headers }: Request, etag: string): boolean {
  const known = headers.get('if-none-match')
  if (known === null) return false
  return known.trim() === '*' || known.split(',').some(tag => tag.trim().replace(/^W\//, '') === etag)
}
