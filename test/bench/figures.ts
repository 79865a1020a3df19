import { load, type Measured, type Shot } from './load.ts'
import type { Product } from './product.ts'
import { inTurn } from './rounds.ts'
import type { Seeded } from './seed.ts'

export interface Subject extends Seeded {
  product: Product
}

export interface Effort {
  seconds: number
  rounds: number
  scratch: string
}

/** What was measured, a value a round, by the name of the figure. */
export type Figures = Record<string, Measured[]>
type Asked = Omit<Shot, 'seconds'>

const CONNECTIONS = [1, 32, 128]

/** What is asked of the product, by the name of its figure. */
function shots(subject: Subject): Record<string, Asked> {
  const { origin, headers } = subject.product
  const feed = `${origin}/api/defects`
  const asked: Record<string, Asked> = {}
  for (const connections of CONNECTIONS) {
    asked[named('feed', connections)] = { url: feed, headers, connections }
    asked[named('section feed', connections)] = { url: `${feed}?section=cpu`, headers, connections }
    asked[named('counts', connections)] = { url: `${feed}/counts`, headers, connections }
  }
  for (const [what, path] of Object.entries(narrowed(subject)))
    asked[named(what, 32)] = { url: feed + path, headers, connections: 32 }
  for (const connections of CONNECTIONS) asked[named('POST', connections)] = filing(subject, connections)
  asked[MIXED] = { ...filing(subject, 32), postPercent: 10 }
  return asked
}

/** At equal numbers of matches, and what many reports match. */
const narrowed = ({ rareProjectId }: Subject) => ({
  'feed of a project': `?project=${rareProjectId}`,
  'feed of a project, 30 days': `?project=${rareProjectId}&since=30d`,
  'search, a rare word': '?q=halfway',
  'search, two words of a project': `?project=${rareProjectId}&q=half%20connector`,
  'search, a frequent word': '?q=loose',
  'search, one letter': '?q=l',
  'counts of a project': `/counts?project=${rareProjectId}`,
  'counts by project': '/counts?by=project',
  trends: '/trends?days=60d',
  'trends of a project': `/trends?days=60d&project=${rareProjectId}`,
})

export function filing({ product: { origin, headers }, projectId }: Subject, connections: number): Asked {
  const report = { section_id: 'usb-port', project_id: projectId, verbatim: 'The shield is loose' }
  return { url: `${origin}/api/defects`, headers, connections, body: JSON.stringify(report) }
}

export const named = (what: string, connections: number) =>
  `${what}, ${connections} ${connections === 1 ? 'connection' : 'connections'}`
export const MIXED = 'feed, 32 connections, 10 % POST'

/** The same shots at every subject, in turn. */
export async function figuresOf(subjects: Subject[], effort: Effort): Promise<Figures[]> {
  for (const subject of subjects) await once(shots(subject)[named('feed', 32)]!, effort)
  const figures: Figures[] = subjects.map(() => ({}))
  for (const name of Object.keys(shots(subjects[0]!))) {
    const ask = subjects.map(subject => () => once(shots(subject)[name]!, effort))
    const rounds = await inTurn(effort.rounds, ask)
    for (const [i, measured] of rounds.entries()) figures[i]![name] = measured
  }
  return figures
}

export async function once(shot: Asked, { seconds, scratch }: Effort): Promise<Measured> {
  const measured = await load({ ...shot, seconds }, scratch)
  if (measured.failed) console.error(`! ${shot.url}: ${measured.failed} requests failed`)
  return measured
}

export const perSecond = async (shot: Asked, effort: Effort) => (await once(shot, effort)).perSecond

export const mixed = (subject: Subject, effort: Effort) => once(shots(subject)[MIXED]!, effort)
