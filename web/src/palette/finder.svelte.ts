import { recall, remember } from '../lib/memory.ts'

export interface Item {
  /** what it is remembered by */
  id: string
  kind: 'Section' | 'Report' | 'Project' | 'Action'
  label: string
  run(): void
}

const MOST_SHOWN = 50
const MOST_RECENT = 8

/** What the palette offers for what was typed: the best match first, and of equals what was used last. */
export class Finder {
  query = $state('')
  active = $state(0)
  private readonly name: string
  private readonly recent: string[]
  readonly found: Item[] = $derived.by(() => this.match(this.query))

  constructor(
    email: string,
    private readonly items: () => Item[],
  ) {
    this.name = `recent.${email}`
    this.recent = (recall(this.name) ?? '').split(' ').filter(Boolean)
  }

  type(query: string): void {
    this.query = query
    this.active = 0
  }

  move(by: number): void {
    const { length } = this.found
    if (length) this.active = (this.active + by + length) % length
  }

  /** What is chosen comes first next time. */
  use({ id }: Item): void {
    const recent = [id, ...this.recent.filter(other => other !== id)].slice(0, MOST_RECENT)
    remember(this.name, recent.join(' '))
  }

  private match(query: string): Item[] {
    const wanted = folded(query).replaceAll(' ', '')
    const age = (item: Item) => this.recent.indexOf(item.id) + 1 || MOST_RECENT + 1
    return this.items()
      .map(item => ({ item, score: likeness(wanted, folded(item.label)), age: age(item) }))
      .filter(({ score }) => score >= 0)
      .sort((a, b) => b.score - a.score || a.age - b.age)
      .slice(0, MOST_SHOWN)
      .map(({ item }) => item)
  }
}

/**
 * How well letters are found in this order in a text; -1: not at all. Letters that follow each other or begin a word
 * count more, and so the text that has them closer together.
 */
export function likeness(wanted: string, text: string): number {
  const whole = text.replaceAll(' ', '').indexOf(wanted)
  if (!wanted) return 0
  if (!hasInOrder(wanted, text)) return -1
  let [score, at] = [whole === 0 ? 8 : whole > 0 ? 4 : 0, -1]
  for (const letter of wanted) {
    const found = nextOf(letter, text, at)
    if (found < 0) break
    score += found === at + 1 ? 2 : beginsWord(text, found) ? 2 : 0
    at = found
  }
  return score
}

/** The next such letter; rather one that goes on or begins a word than one in the middle. */
function nextOf(letter: string, text: string, after: number): number {
  const next = text.indexOf(letter, after + 1)
  if (next === after + 1) return next
  for (let at = next; at >= 0; at = text.indexOf(letter, at + 1)) if (beginsWord(text, at)) return at
  return next
}

function hasInOrder(wanted: string, text: string): boolean {
  let at = -1
  for (const letter of wanted) {
    at = text.indexOf(letter, at + 1)
    if (at < 0) return false
  }
  return true
}

const beginsWord = (text: string, at: number) => at === 0 || /[\s\-_.,/(]/.test(text[at - 1]!)

const folded = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
