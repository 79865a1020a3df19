import type { Clock } from '../../server/push/device-queue.ts'

/** Time that passes only when a test lets it. */
export function manualClock() {
  const sleepers = new Set<{ wakesAt: number; wake(): void }>()
  let time = 0
  return {
    now: () => time,
    sleep: (ms, signal) =>
      new Promise<void>(resolve => {
        if (ms <= 0 || signal.aborted) return resolve()
        const sleeper = {
          wakesAt: time + ms,
          wake() {
            sleepers.delete(sleeper)
            resolve()
          },
        }
        sleepers.add(sleeper)
        signal.addEventListener('abort', sleeper.wake, { once: true })
      }),
    /** How much longer each sleeper sleeps, the next to wake first. */
    sleeping: () => [...sleepers].map(({ wakesAt }) => wakesAt - time).sort((a, b) => a - b),
    pass(ms: number): void {
      time += ms
      for (const sleeper of sleepers) if (sleeper.wakesAt <= time) sleeper.wake()
    },
  } satisfies Clock & Record<string, unknown>
}
