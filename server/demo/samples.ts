import { sql } from 'drizzle-orm'
import type { Board, Section } from '../board/board.ts'
import type { Database } from '../db/database.ts'
import { defects, projects } from '../db/schema.ts'
import { projectNames, texts } from './texts.ts'

const DEFECTS = 180
const DAYS = 60
const DAY_MS = 86_400_000
const PAGE = 60

/** A believable past for an empty database; nothing is done to one that holds anything. */
export async function fileSamples(
  db: Database,
  board: Board,
  reporters: string[],
  onRows: (done: number, of: number) => void = () => {},
): Promise<number> {
  const [found] = await db.read(queries =>
    queries.execute<{ some: boolean }>(
      sql`select exists(select from ${projects}) or exists(select from ${defects}) as some`,
    ),
  )
  if (found?.some) return 0
  const start = Date.now() - DAYS * DAY_MS
  const shared = projectNames.map((name, i) => ({
    id: Bun.randomUUIDv7('hex', start + i),
    name,
    createdAt: new Date(start + i),
  }))
  const rows = sampleRows(board, shared, reporters, Date.now())
  await db.transaction(async queries => {
    await queries.insert(projects).values(shared)
    for (let at = 0; at < rows.length; at += PAGE) {
      await queries.insert(defects).values(rows.slice(at, at + PAGE))
      onRows(Math.min(rows.length, at + PAGE), rows.length)
    }
  })
  return rows.length
}

/** The same board gives the same sample, oldest first, but for the hour it is made. */
function sampleRows(board: Board, shared: { id: string }[], reporters: string[], now: number) {
  const chance = dice(20_261_121)
  const pick = <T>(from: readonly T[]) => from[Math.floor(chance() * from.length)]!
  const sections = [...board.sections.values()]
  // A few weak points, a long tail, one section without any.
  const weights = sections.map((_, i) => (i > 0 && i === sections.length - 1 ? 0 : 1 / (1 + i * 0.55)))
  const order = shuffled(sections, chance)
  const times = Array.from({ length: DEFECTS }, () => now - 60_000 - chance() ** 1.6 * DAYS * DAY_MS).sort(
    (a, b) => a - b,
  )
  return times.map(time => {
    const section = weighted(order, weights, chance)
    return {
      id: Bun.randomUUIDv7('hex', Math.floor(time)),
      sectionId: section.id,
      projectId: shared[Math.floor(chance() ** 1.7 * shared.length)]!.id,
      verbatim: pick(reportsOn(section, chance)),
      reporter: reporters[Math.floor(chance() ** 1.5 * reporters.length)]!,
      createdAt: new Date(time),
    }
  })
}

function reportsOn({ id, label }: Section, chance: () => number): string[] {
  const anywhere = texts.at(-1)!
  const fitting = texts.find(([words]) => words.test(`${id} ${label}`)) ?? anywhere
  return (chance() < 0.75 ? fitting : anywhere)[1]
}

function weighted<T>(items: T[], weights: number[], chance: () => number): T {
  const sum = weights.reduce((a, b) => a + b, 0)
  let left = chance() * (sum || 1)
  const index = weights.findIndex(weight => {
    left -= weight
    return left < 0
  })
  return items[Math.max(0, index)]!
}

function shuffled<T>(items: T[], chance: () => number): T[] {
  return items
    .map(item => ({ item, at: chance() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item)
}

/** mulberry32: small, and the same everywhere. */
function dice(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}
