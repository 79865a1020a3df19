const EVERY_MS = 6_000

/** Calls `task` again and again while the page is visible, and at once when it becomes so. */
export function poll(task: () => Promise<void>): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let running = false
  let stopped = false

  const later = () => {
    clearTimeout(timer)
    if (!stopped && document.visibilityState === 'visible') timer = setTimeout(run, EVERY_MS)
  }
  const run = async () => {
    if (running) return
    running = true
    try {
      await task()
    } finally {
      running = false
      later()
    }
  }
  const wake = () => {
    clearTimeout(timer)
    if (document.visibilityState === 'visible') void run()
  }

  document.addEventListener('visibilitychange', wake)
  addEventListener('online', wake)
  later()
  return () => {
    stopped = true
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', wake)
    removeEventListener('online', wake)
  }
}
