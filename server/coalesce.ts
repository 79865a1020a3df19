/**
 * Identical concurrent reads share the next query: one that starts after the last of them arrived,
 * so that every answer is as fresh as its own query would have been. Nothing is cached. Requests are
 * identical when all that `read` is given is the same.
 */
export function coalesced<Request extends object, Answer>(
  read: (request: Request) => Promise<Answer>,
): (request: Request) => Promise<Answer> {
  const running = new Map<string, Promise<Answer>>()
  const waiting = new Map<string, Promise<Answer>>()

  function start(key: string, request: Request): Promise<Answer> {
    const query = read(request).finally(() => {
      if (running.get(key) === query) running.delete(key)
    })
    running.set(key, query)
    return query
  }

  return request => {
    const key = JSON.stringify(request)
    const now = running.get(key)
    if (!now) return start(key, request)
    let next = waiting.get(key)
    if (!next) {
      next = now
        .catch(() => {})
        .then(() => {
          waiting.delete(key)
          return start(key, request)
        })
      waiting.set(key, next)
    }
    return next
  }
}
