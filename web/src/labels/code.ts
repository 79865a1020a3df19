import { encode } from 'uqr'

/** What a phone opens that reads the label: the report form on this section, after signing in. */
export function reportAddress(section: string): string {
  return `${location.origin}/?report=${encodeURIComponent(section)}`
}

export interface Code {
  /** modules on a side, with the quiet ones around that a reader needs */
  size: number
  /** all dark modules, row by row, as one path */
  path: string
}

export function codeOf(text: string): Code {
  const { size, data } = encode(text, { ecc: 'M', border: 4 })
  const runs = data.flatMap((row, y) =>
    [...runsIn(row)].map(([x, length]) => `M${x} ${y}h${length}v1h-${length}z`),
  )
  return { size, path: runs.join('') }
}

/** Where dark modules follow each other: from, and how many. */
function* runsIn(row: boolean[]): Generator<[number, number]> {
  let from = -1
  for (const [x, dark] of [...row, false].entries()) {
    if (dark && from < 0) from = x
    if (dark || from < 0) continue
    yield [from, x - from]
    from = -1
  }
}
