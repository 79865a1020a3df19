import type { XmlDocument, XmlElement } from './xml.ts'
import { clip, ENTITIES, isCharacter, REFERENCE } from './xml-grammar.ts'

export type Scope = { declared: Map<string, string>; outer?: Scope }
export interface Open {
  element: XmlElement
  tag: string
  scope: Scope
}
export interface Reader {
  text: string
  at: number
  open: Open[]
  document: XmlDocument
  lineAt: (offset: number) => number
}

export class NotWellFormed extends Error {
  constructor(
    readonly line: number,
    message: string,
  ) {
    super(message)
  }
}

export function lines(text: string): (offset: number) => number {
  const ends: number[] = []
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) ends.push(at)
  return offset => {
    let [low, high] = [0, ends.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (ends[middle]! < offset) low = middle + 1
      else high = middle
    }
    return low + 1
  }
}

export function match(reader: Reader, pattern: RegExp): RegExpExecArray | null {
  pattern.lastIndex = reader.at
  const found = pattern.exec(reader.text)
  if (found) reader.at = pattern.lastIndex
  return found
}

export function upTo(reader: Reader, end: string, skip: number): number | undefined {
  const found = reader.text.indexOf(end, reader.at + skip)
  return found < 0 ? undefined : found
}

export function note(reader: Reader, text: string, at: number): void {
  reader.document.faults.push({ line: reader.lineAt(at), text })
}

export function fail(reader: Reader, text: string, at = reader.at): never {
  throw new NotWellFormed(reader.lineAt(at), text)
}

export function decode(reader: Reader, raw: string, start: number): string {
  if (!raw.includes('&')) return raw
  return raw.replace(
    REFERENCE,
    (whole: string, decimal?: string, hex?: string, entity?: string, offset = 0) => {
      const code = decimal ? Number(decimal) : hex ? Number.parseInt(hex, 16) : undefined
      if (code !== undefined && isCharacter(code)) return String.fromCodePoint(code)
      if (entity && Object.hasOwn(ENTITIES, entity)) return ENTITIES[entity]!
      const mend =
        whole === '&'
          ? '"&" by itself: write "&amp;"'
          : `${clip(whole)} is not known: write the character itself`
      note(reader, mend, start + offset)
      return ''
    },
  )
}
