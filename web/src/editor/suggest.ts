import type { Name } from './operations.ts'

/** What a drawing says about an element. */
export interface Hints {
  label?: string
  title?: string
  id?: string
  /** what is written inside */
  text?: string
}

const LONGEST_LABEL = 60
const LONGEST_ID = 40
/** What programs call what nobody named. */
const MACHINE_MADE =
  /^(?:(?:g|path|rect|circle|ellipse|line|poly(?:gon|line)|text|tspan|use|image|svg|layer|group|shape|graphic|node|edge|cell|object|clip|frame|vector|rectangle|union|subtract|calque|ebene|xmlid|svgid|gge|id|flowchart)[-_ \d.]*|[-_ \d.]+|(?=[-a-f]*\d)[-\da-f]{6,}|[a-z]?)$/i

/** A name to begin with, and an id that no other section has. */
export function suggest(hints: Hints, taken: Iterable<string>): Name {
  const used = new Set(taken)
  const id = hints.id === undefined ? '' : spelled(hints.id)
  const said = [hints.label, hints.title, MACHINE_MADE.test(id) ? '' : id, hints.text].map(plain)
  const label = said.find(text => text && !MACHINE_MADE.test(text)) ?? ''
  if (label) return { label, id: idFor(label, used) }
  const count = used.size + 1
  return { label: `Section ${count}`, id: idFor(`section-${count}`, used) }
}

const plain = (text = '') => {
  const words = text.replace(/\s+/g, ' ').trim().normalize('NFC')
  return words.length > LONGEST_LABEL ? `${words.slice(0, LONGEST_LABEL).replace(/\s+\S*$/, '')}…` : words
}

/** An id as words: `_x20_` is how Illustrator writes a space, `_2_` at the end tells its twins apart. */
function spelled(id: string): string {
  const words = id
    .replace(/_x([0-9a-f]{2,4})_/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/(?:_\d+_?|-\d+)$/, '')
    .replace(/([a-z])([A-Z])/g, (_, end: string, start: string) => `${end} ${start.toLowerCase()}`)
    .replace(/[-_\s]+/g, ' ')
    .trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Of a label, what ids are made of; with a number where another has it. */
export function idFor(label: string, taken: Iterable<string>): string {
  const used = new Set(taken)
  const letters = label.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  const base =
    letters
      .replace(/[^a-z0-9]+/g, '-')
      .slice(0, LONGEST_ID - 4)
      .replace(/^-+|-+$/g, '') || 'section'
  for (let count = 1; ; count++) {
    const id = count === 1 ? base : `${base}-${count}`
    if (!used.has(id)) return id
  }
}
