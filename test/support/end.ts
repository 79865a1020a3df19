import { afterAll } from 'bun:test'

const endings: (() => Promise<unknown>)[] = []

/** For what the files of a process share: done when the last of them has ended. */
export function whenAllEnded(ending: () => Promise<unknown>): void {
  endings.push(ending)
}

// Loaded before all files, so that this is the end of all.
afterAll(async () => {
  for (const ending of endings) await ending()
})
