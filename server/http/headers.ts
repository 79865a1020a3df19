import { ofEveryAnswer } from '../answer.ts'
import type { Config } from '../config/read.ts'
import { withJsonType } from './elysia.ts'

/** Of pages, rendered or built, and of pictures opened as pages. */
export const pageHeaders = {
  'content-security-policy':
    "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'",
  'cross-origin-opener-policy': 'same-origin',
}

const every = Object.entries(ofEveryAnswer)

/** Puts on every response what all of ours carry. What says nothing of its storage is stored by nobody. */
export function createFinish(config: Pick<Config, 'publicUrl'>, isDraining: () => boolean) {
  const secure = config.publicUrl.startsWith('https:')
  return (response: Response, requestId: string): Response => {
    const { headers } = response
    headers.set('x-request-id', requestId)
    if (secure) headers.set('strict-transport-security', 'max-age=31536000')
    if (isDraining()) headers.set('connection', 'close')
    // What is sent again and again was made with them.
    if (headers.has('referrer-policy')) return response
    for (const [name, value] of every) headers.set(name, value)
    if (!headers.has('cache-control')) headers.set('cache-control', 'no-store')
    return withJsonType(response)
  }
}
