/** Awaits a condition; the deadline is generous, for it is no measurement. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what: string | (() => string) = 'it did not happen',
  ms = 60_000,
): Promise<void> {
  const deadline = performance.now() + ms
  while (!(await holds())) {
    if (performance.now() > deadline) {
      throw new Error(`not within ${ms} ms: ${typeof what === 'string' ? what : what()}`)
    }
    await Bun.sleep(5)
  }
}
