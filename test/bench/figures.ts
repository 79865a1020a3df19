import { load, type Measured, type Shot } from './load.ts'
import type { Product } from './product.ts'

export interface Subject {
  product: Product
  projectId: string
}

export interface Effort {
  seconds: number
  rounds: number
  scratch: string
}

export type Figures = Record<string, Measured>

const CONNECTIONS = [1, 32, 128]

/** What is asked of the product, by the name of its figure. */
function shots({ product: { origin, headers }, projectId }: Subject): Record<string, Omit<Shot, 'seconds'>> {
  const body = JSON.stringify({
    section_id: 'usb-port',
    project_id: projectId,
    verbatim: 'The shield is loose',
  })
  const feed = `${origin}/api/defects`
  const asked: Record<string, Omit<Shot, 'seconds'>> = {}
  for (const connections of CONNECTIONS) {
    asked[named('feed', connections)] = { url: feed, headers, connections }
    asked[named('section feed', connections)] = { url: `${feed}?section=cpu`, headers, connections }
    asked[named('counts', connections)] = { url: `${feed}/counts`, headers, connections }
  }
  for (const connections of CONNECTIONS)
    asked[named('POST', connections)] = { url: feed, headers, connections, body }
  asked[MIXED] = { url: feed, headers, connections: 32, body, postPercent: 10 }
  return asked
}

export const named = (what: string, connections: number) =>
  `${what}, ${connections} ${connections === 1 ? 'connection' : 'connections'}`
export const MIXED = 'feed, 32 connections, 10 % POST'

/** The same shots at every subject, in turn, so that they share what else the machine does. */
export async function figuresOf(subjects: Subject[], effort: Effort): Promise<Figures[]> {
  for (const subject of subjects) await once(shots(subject)[named('feed', 32)]!, effort)
  const names = Object.keys(shots(subjects[0]!))
  const figures: Figures[] = subjects.map(() => ({}))
  for (const name of names) {
    const results: Measured[][] = subjects.map(() => [])
    for (let round = 0; round < effort.rounds; round++) {
      for (const [i, subject] of subjects.entries())
        results[i]!.push(await once(shots(subject)[name]!, effort))
    }
    for (const [i, rounds] of results.entries()) figures[i]![name] = middle(rounds)
  }
  return figures
}

export async function measure(shot: Omit<Shot, 'seconds'>, effort: Effort): Promise<Measured> {
  const rounds: Measured[] = []
  for (let round = 0; round < effort.rounds; round++) rounds.push(await once(shot, effort))
  return middle(rounds)
}

async function once(shot: Omit<Shot, 'seconds'>, { seconds, scratch }: Effort): Promise<Measured> {
  const measured = await load({ ...shot, seconds }, scratch)
  if (measured.failed) console.error(`! ${shot.url}: ${measured.failed} requests failed`)
  return measured
}

export const mixed = (subject: Subject, effort: Effort) => once(shots(subject)[MIXED]!, effort)

/** By throughput. */
function middle(rounds: Measured[]): Measured {
  return rounds.sort((a, b) => a.perSecond - b.perSecond)[Math.floor(rounds.length / 2)]!
}
