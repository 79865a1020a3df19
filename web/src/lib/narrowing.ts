/** What is looked at. An address without days means all time. */
export interface Narrowed {
  section?: string | undefined
  project?: string | undefined
  /** words, for reports alone */
  q?: string | undefined
  days?: number | undefined
}

const LONGEST_DAYS = 366
const LONGEST_WORDS = 200

/** What an address says of it; what it cannot mean is left out. */
export function narrowedIn(search: string): Narrowed {
  const said = new URLSearchParams(search)
  const days = Number(/^([1-9]\d{0,2})d$/.exec(said.get('days') ?? '')?.[1] ?? 0)
  return known({
    section: said.get('section') || undefined,
    project: said.get('project') || undefined,
    q: wordsIn(said.get('q') ?? ''),
    days: days && days <= LONGEST_DAYS ? days : undefined,
  })
}

/** As typed, or nothing when there is no word in it. */
export function wordsIn(typed: string): string | undefined {
  const words = [...typed].slice(0, LONGEST_WORDS).join('')
  return words.trim() ? words : undefined
}

/** The query of an address, with its question mark; the same for the same view. */
export function inAddress({ days, project, q, section }: Narrowed): string {
  const values = known({ days: days ? `${days}d` : undefined, project, q, section })
  const said = new URLSearchParams(values as Record<string, string>)
  return said.size ? `?${said}` : ''
}

/** As the server narrows by it. */
export const asQuery = ({ days, ...rest }: Narrowed): Record<string, string> =>
  known({ ...rest, since: days ? `${days}d` : undefined }) as Record<string, string>

function known<T extends object>(values: T): T {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value)) as T
}
