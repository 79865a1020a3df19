/** A page that is left, by a reload or with its tab, lets go of its names a moment later. */
const GOING_MS = 500

/** Holds a name that only one tab of this browser may have at a time; `undefined`: another tab has it. */
export async function hold(name: string): Promise<(() => void) | undefined> {
  if (!navigator.locks) return () => {}
  return new Promise(answer => {
    const options = { signal: AbortSignal.timeout(GOING_MS) }
    const granted = () => new Promise<void>(release => answer(release))
    navigator.locks.request(`faultline.${name}`, options, granted).catch(() => answer(undefined))
  })
}
