import { bar, padEnd, quantity } from './print.ts'

interface Progress {
  at(done: number, of: number): void
  end(): void
}

const REDRAW_MS = 100
const BAR_COLUMNS = 24

/** A bar on standard error while something long runs; nothing at all where nobody watches. */
export function progress(
  label: string,
  on: boolean,
  write: (text: string) => void = text => void process.stderr.write(text),
): Progress {
  let drawn = 0
  return {
    at(done, of) {
      const now = performance.now()
      if (!on || (drawn && now - drawn < REDRAW_MS)) return
      drawn = now
      const share = of > 0 ? Math.min(1, done / of) : 0
      const percent = `${Math.floor(share * 100)} %`.padStart(5)
      write(
        `\r\x1b[2K${label} ${padEnd(bar(share, 1, BAR_COLUMNS), BAR_COLUMNS)} ${percent}  ${quantity(done, 'row')}`,
      )
    },
    end() {
      if (drawn) write('\r\x1b[2K')
      drawn = 0
    },
  }
}
