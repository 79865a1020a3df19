import type { Beginning, Judged, Marking, Part, Saved } from '../../../server/editor/edited-board.ts'
import { check, Ended, save } from './api.ts'
import {
  hasPart,
  isIn,
  isSame,
  join,
  mark,
  type Name,
  outermost,
  removeSection,
  rename,
  sectionAt,
  sectionsMet,
  unmark,
} from './operations.ts'
import { type Hints, suggest } from './suggest.ts'

export type Tool = 'choose' | 'rectangle' | 'polygon'

const CHECK_AFTER_MS = 150
const TAKEN = 'Another section is there: sections do not lie in each other.'

/** What is marked, what is chosen, and what the server says about it. */
export class Editor {
  marking = $state.raw<Marking>([])
  /** what the next mark is put on; of a section, the part that was pointed at */
  chosen = $state.raw<Part[]>([])
  tool = $state<Tool>('choose')
  judged = $state.raw<Judged>()
  /** one sentence about what was done last */
  said = $state('')
  bad = $state(false)
  saving = $state(false)
  /** it is asked whether another file may be replaced */
  asking = $state(false)
  ended = $state(false)
  lastSaved = $state.raw<Saved>()
  private past = $state.raw<Marking[]>([])
  private future = $state.raw<Marking[]>([])
  private clean = $state.raw<Marking>([])
  private timer: ReturnType<typeof setTimeout> | undefined
  private asked = 0

  readonly isDirty = $derived(this.marking !== this.clean)
  readonly canUndo = $derived(this.past.length > 0)
  readonly canRedo = $derived(this.future.length > 0)
  readonly ids = $derived(this.marking.map(({ id }) => id))
  readonly met = $derived(sectionsMet(this.marking, this.chosen))
  /** the section that is chosen, by one of its parts */
  readonly section = $derived(
    this.met.find(section => this.chosen.length > 0 && this.chosen.every(part => hasPart(section, part))),
  )
  readonly suggested = $derived(suggest(this.hints(), this.ids))

  constructor(
    readonly beginning: Beginning,
    private readonly hintsOf: (path: string) => Hints,
  ) {
    this.marking = this.clean = beginning.marking
    this.recheck()
  }

  private hints(): Hints {
    const [first] = this.chosen
    return first && 'path' in first ? this.hintsOf(first.path) : {}
  }

  /** What a click on an element means: the part of a section that it lies in, or the element. */
  meant(path: string): Part {
    const holds = (part: Part) => 'path' in part && isIn(path, part.path)
    return sectionAt(this.marking, path)?.parts.find(holds) ?? { path }
  }

  choose(path: string): void {
    this.chosen = [this.meant(path)]
  }

  /** By keys one may go into a section, too. */
  goTo(path: string): void {
    this.chosen = [{ path }]
  }

  /** Into the chosen section or out of it; without one, to what is chosen. */
  chooseAlso(part: Part): void {
    const { section } = this
    if (!section) this.chosen = this.toggled(part)
    else if (hasPart(section, part)) this.leave(part)
    else this.joinTo(section.id, [part])
  }

  private toggled(part: Part): Part[] {
    const without = this.chosen.filter(known => !isSame(known, part))
    return without.length < this.chosen.length ? without : outermost([...this.chosen, part])
  }

  private leave(part: Part): void {
    this.change(unmark(this.marking, part))
    this.say('Taken out of the section.')
  }

  joinTo(id: string, parts: Part[]): void {
    const marking = join(this.marking, id, parts)
    if (!marking) {
      this.say(TAKEN, true)
      return
    }
    this.change(marking)
    this.chosen = parts.slice(-1)
    this.say('Joined.')
  }

  mark(name: Name): void {
    if (!this.chosen.length) return
    const marking = mark(this.marking, this.chosen, name)
    if (!marking) {
      this.say(TAKEN, true)
      return
    }
    this.change(marking)
    this.say(`“${name.label}” is a section.`)
  }

  /** What Enter does with what is chosen. */
  markAsSuggested(): void {
    const [only, ...more] = this.met
    if (this.section) return
    if (more.length)
      this.say(`${this.met.map(({ label }) => `“${label}”`).join(', ')} lie in it: remove them first.`, true)
    else if (only) this.joinTo(only.id, this.chosen)
    else this.mark(this.suggested)
  }

  rename(id: string, name: Name): void {
    this.change(rename(this.marking, id, name))
  }

  remove(id: string): void {
    const label = this.marking.find(section => section.id === id)?.label
    this.change(removeSection(this.marking, id))
    this.chosen = []
    this.say(`“${label}” is no section any more.`)
  }

  private change(marking: Marking): void {
    this.past = [...this.past, this.marking]
    this.future = []
    this.marking = marking
    this.recheck()
  }

  undo(): void {
    const marking = this.past.at(-1)
    if (!marking) return
    this.future = [...this.future, this.marking]
    this.past = this.past.slice(0, -1)
    this.restore(marking, 'Undone.')
  }

  redo(): void {
    const marking = this.future.at(-1)
    if (!marking) return
    this.past = [...this.past, this.marking]
    this.future = this.future.slice(0, -1)
    this.restore(marking, 'Done again.')
  }

  private restore(marking: Marking, said: string): void {
    this.marking = marking
    this.chosen = []
    this.say(said)
    this.recheck()
  }

  private recheck(): void {
    clearTimeout(this.timer)
    this.timer = setTimeout(() => void this.check(), CHECK_AFTER_MS)
  }

  private async check(): Promise<void> {
    const asked = ++this.asked
    const judged = await check(this.marking).catch(this.end)
    if (asked === this.asked && judged) this.judged = judged
  }

  async save(replace = false): Promise<void> {
    if (this.saving) return
    this.asking = false
    this.saving = true
    const { marking } = this
    const result = await save(marking, replace).catch(this.end)
    this.saving = false
    if (!result) return
    if ('exists' in result) this.asking = true
    else if ('faults' in result) this.say(`Not saved: ${result.faults[0]}`, true)
    else {
      this.clean = marking
      this.lastSaved = result.saved
      this.say(
        `Saved to ${result.saved.target}.${result.saved.kept ? ` The old file is ${result.saved.kept}.` : ''}`,
      )
    }
  }

  private end = (error: unknown): undefined => {
    if (!(error instanceof Ended)) throw error
    this.ended = true
  }

  say(said: string, bad = false): void {
    this.said = said
    this.bad = bad
  }
}
