/**
 * Identical concurrent reads share the next query: one that starts after the last of them arrived,
 * so that every answer is as fresh as its own query would have been. Nothing is cached.
 */
export function createCoalesce<T>() {
  const running = new Map<string, Promise<T>>()
  const waiting = new Map<string, Promise<T>>()

  function start(key: string, run: () => Promise<T>): Promise<T> {
    const query = run().finally(() => {
      if (running.get(key) === query) running.delete(key)
    })
    running.set(key, query)
    return query
  }

  return function coalesce(key: string, run: () => Promise<T>): Promise<T> {
    const now = running.get(key)
    if (!now) return start(key, run)
    let next = waiting.get(key)
    if (!next) {
      next = now
        .catch(() => {})
        .then(() => {
          waiting.delete(key)
          return start(key, run)
        })
      waiting.set(key, next)
    }
    return next
  }
}
