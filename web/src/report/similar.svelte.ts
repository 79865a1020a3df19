import type { Entry } from '../lib/api.ts'
import { type Narrowed, wordsIn } from '../lib/narrowing.ts'

const PAUSE_MS = 400

/** What was reported already that may be the same; nobody waits for it. */
export class Similar {
  /** the latest first; undefined: not known yet */
  entries = $state.raw<Entry[]>()
  private timer: ReturnType<typeof setTimeout> | undefined
  /** later questions make the answers to earlier ones worthless */
  private question = 0

  constructor(private readonly latest: (narrowed: Narrowed) => Promise<Entry[]>) {}

  begin(about: Narrowed): void {
    this.entries = undefined
    this.look(about, 0)
  }

  look(about: Narrowed, pauseMs = PAUSE_MS): void {
    clearTimeout(this.timer)
    this.timer = setTimeout(() => void this.ask(about, ++this.question).catch(() => {}), pauseMs)
  }

  stop(): void {
    clearTimeout(this.timer)
    this.question++
    this.entries = undefined
  }

  private async ask({ q = '', ...about }: Narrowed, question: number): Promise<void> {
    for (const words of [...new Set([q, longest(2, q), longest(1, q), ''])]) {
      const found = await this.latest({ ...about, q: wordsIn(words) })
      if (question !== this.question) return
      if (!found.length && words) continue
      this.entries = found
      return
    }
  }
}

/** A whole sentence is hardly said twice: its longest words say most of it. */
function longest(many: number, sentence: string): string {
  const words = sentence.split(/\s+/).toSorted((a, b) => b.length - a.length)
  return words.slice(0, many).join(' ')
}
