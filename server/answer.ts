import { JSON_TYPE } from './wire.ts'

/** What several readers share. */
export interface Answer {
  bytes: Uint8Array<ArrayBuffer>
  etag: string
  headers: Headers
}

const utf8 = new TextEncoder()

/** Serialises once a query. By the version an open page notices that the board is another. */
export function answersUnder({ svg }: { svg: string }) {
  const version = Bun.hash(svg).toString(36)
  return (value: unknown, link?: string): Answer => {
    const bytes = utf8.encode(JSON.stringify(value))
    const etag = `"${Bun.hash(bytes, Bun.hash(link ?? '')).toString(36)}"`
    const headers = new Headers({ 'content-type': JSON_TYPE, 'x-board-version': version, etag })
    if (link) headers.set('link', link)
    return { bytes, etag, headers }
  }
}

/** The answer, or 304 to who has it already. */
export function respond(request: Request, { bytes, etag, headers }: Answer): Response {
  if (!isKnown(request, etag)) return new Response(bytes, { headers })
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
