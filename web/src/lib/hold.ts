/** Holds a name that only one tab of this browser may have at a time; `undefined`: another tab has it. */
export async function hold(name: string): Promise<(() => void) | undefined> {
  if (!navigator.locks) return () => {}
  return new Promise(answer => {
    void navigator.locks.request(`faultline.${name}`, { ifAvailable: true }, lock => {
      if (lock) return new Promise<void>(release => answer(release))
      answer(undefined)
    })
  })
}
