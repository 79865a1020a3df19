const EVERY_MS = 6_000
const SELDOM_MS = 60_000
const SLOWER = 1.5

/**
 * Calls `task` again and again while the page is visible, and at once when somebody comes back to it. `task` answers
 * whether something had changed; while nothing does, it is called ever less often.
 */
export function poll(task: () => Promise<boolean>): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let pause = EVERY_MS
  let running = false
  let stopped = false

  const later = () => {
    clearTimeout(timer)
    if (!stopped && document.visibilityState === 'visible') timer = setTimeout(run, pause)
  }
  const run = async () => {
    if (running) return
    running = true
    try {
      pause = (await task()) ? EVERY_MS : Math.min(SELDOM_MS, pause * SLOWER)
    } finally {
      running = false
      later()
    }
  }
  const wake = () => {
    clearTimeout(timer)
    pause = EVERY_MS
    if (document.visibilityState === 'visible') void run()
  }

  document.addEventListener('visibilitychange', wake)
  addEventListener('focus', wake)
  addEventListener('online', wake)
  later()
  return () => {
    stopped = true
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', wake)
    removeEventListener('focus', wake)
    removeEventListener('online', wake)
  }
}
