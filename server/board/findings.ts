/** Where in the drawing something was found. */
export interface Place {
  name: string
  id: string | undefined
  line: number
}

export interface Fault {
  line: number
  text: string
}

/** What the import changed or left out, told once however often it happened; the place is the first. */
export interface Warning {
  line: number
  element: string
  id: string | undefined
  text: string
  count: number
  /** the picture looks the same without it */
  harmless: boolean
}

const MAX_FAULTS = 10_000
const MAX_WARNINGS = 100

const MORE = 'more of other kinds'

/** All that is to be said about one drawing. */
export class Findings {
  readonly faults: Fault[] = []
  private readonly byText = new Map<string, Warning>()

  fault(place: Place, text: string): void {
    this.faultInLine(place.line, `${tagOf(place.name, place.id)}${text}`)
  }

  faultInLine(line: number, text: string): void {
    if (this.faults.length < MAX_FAULTS) this.faults.push({ line, text })
  }

  /** Something that people may miss in the picture. */
  warn(place: Place, text: string): void {
    this.add(place, text, false)
  }

  /** Something that nobody will miss. */
  note(place: Place, text: string): void {
    this.add(place, text, true)
  }

  private add({ name, id, line }: Place, text: string, harmless: boolean): void {
    const known = this.byText.get(text)
    if (known) known.count++
    else if (this.byText.size === MAX_WARNINGS && text !== MORE) this.add({ name, id, line }, MORE, false)
    else this.byText.set(text, { line, element: name, id, text, count: 1, harmless })
  }

  get warnings(): Warning[] {
    return [...this.byText.values()]
  }
}

export const sayWarning = (warning: Warning) => `line ${warning.line}: ${sayWithoutLine(warning)}`

export function sayWithoutLine({ element, id, text, count }: Warning): string {
  return `${tagOf(element, id)} ${text}${count > 1 ? ` (${count} times)` : ''}`
}

const tagOf = (name: string, id: string | undefined) => `<${clip(name)}${id ? ` id="${clip(id)}"` : ''}>`

/** What the file says may be long; a finding stays a line. */
export function clip(text: string): string {
  const plain = text.replace(/\p{Cc}/gu, ' ')
  return plain.length > 60 ? `${plain.slice(0, 60)}…` : plain
}
