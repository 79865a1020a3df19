export interface Choice {
  name: string
  creates: boolean
}

interface Outside {
  choices(typed: string): Choice[]
  choose(name: string): void
}

/** The state of a text field with a list below it, after the ARIA pattern for an editable combobox. */
export class Combobox {
  open = $state(false)
  /** which choice the keyboard is on; -1: none */
  active = $state(-1)
  /** what stands in the field was chosen before, so it narrows nothing until something is typed */
  private untouched = $state(true)
  /** the keyboard went to a choice, which leaving the field takes */
  private picked = false

  constructor(private readonly outside: Outside) {}

  choices(typed: string): Choice[] {
    return this.outside.choices(this.untouched ? '' : typed)
  }

  show(): void {
    this.open = true
  }

  close(): void {
    this.open = false
    this.active = -1
    this.untouched = true
    this.picked = false
  }

  typed(): void {
    this.untouched = false
    this.open = true
    this.active = 0
    this.picked = false
  }

  choose(name: string): void {
    this.outside.choose(name)
    this.close()
  }

  press(event: KeyboardEvent, shown: Choice[]): void {
    const handled = this.handle(event, shown)
    if (!handled) return
    event.preventDefault()
    event.stopPropagation()
  }

  private handle({ key, isComposing, ctrlKey, metaKey }: KeyboardEvent, shown: Choice[]): boolean {
    if (isComposing || ctrlKey || metaKey) return false
    if (key === 'ArrowDown') return this.move(1, shown)
    if (key === 'ArrowUp') return this.move(-1, shown)
    if (key === 'Escape' && this.open) {
      this.close()
      return true
    }
    const choice = shown[this.active]
    if (key === 'Tab' && this.picked && choice) this.choose(choice.name)
    if (key !== 'Enter' || !choice) return false
    this.choose(choice.name)
    return true
  }

  private move(by: number, shown: Choice[]): boolean {
    if (!this.open) {
      this.show()
      this.active = 0
    } else if (shown.length) {
      this.active = (this.active + by + shown.length) % shown.length
      this.picked = true
    }
    return true
  }
}
