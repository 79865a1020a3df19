import type { Marking, Part } from '../../../server/editor/edited-board.ts'

export interface Name {
  id: string
  label: string
}
type Section = Marking[number]

export const isIn = (path: string, outer: string) =>
  path === outer || outer === '' || path.startsWith(`${outer}.`)

/** Whether one element is the other, lies in it, or around it. */
function meets(a: Part, b: Part): boolean {
  if ('path' in a && 'path' in b) return isIn(a.path, b.path) || isIn(b.path, a.path)
  return isSame(a, b)
}

export const isSame = (a: Part, b: Part) => JSON.stringify(a) === JSON.stringify(b)

export const hasPart = ({ parts }: Section, part: Part) => parts.some(known => isSame(known, part))

/** The section that an element belongs to, by itself or by what it lies in. */
export function sectionAt(marking: Marking, path: string): Section | undefined {
  return marking.find(({ parts }) => parts.some(part => 'path' in part && isIn(path, part.path)))
}

/** The sections that something lies in or around. */
export function sectionsMet(marking: Marking, parts: Part[]): Section[] {
  return marking.filter(section => section.parts.some(known => parts.some(part => meets(known, part))))
}

/**
 * Makes parts belong to a section, in the place of what they lie in or around of it. Undefined where they meet
 * another section: sections do not lie in each other.
 */
export function join(marking: Marking, id: string, parts: Part[]): Marking | undefined {
  if (sectionsMet(marking, parts).some(section => section.id !== id)) return undefined
  return marking.map(section => {
    if (section.id !== id) return section
    const kept = section.parts.filter(known => !parts.some(part => meets(known, part)))
    return { ...section, parts: [...kept, ...outermost(parts)] }
  })
}

/** Of elements that lie in each other those that hold the others. */
export function outermost(parts: Part[]): Part[] {
  return parts.filter(
    (part, at) =>
      !parts.some((other, index) => {
        if (index === at || !meets(part, other)) return false
        if (isSame(part, other)) return index < at
        return 'path' in part && 'path' in other && isIn(part.path, other.path)
      }),
  )
}

export function mark(marking: Marking, parts: Part[], name: Name): Marking | undefined {
  return join([...marking, { ...name, parts: [] }], name.id, parts)
}

/** Without the part; a section that has none left is gone. */
export function unmark(marking: Marking, part: Part): Marking {
  return marking.flatMap(section => {
    const parts = section.parts.filter(known => !isSame(known, part))
    return parts.length ? [{ ...section, parts }] : []
  })
}

export const removeSection = (marking: Marking, id: string): Marking =>
  marking.filter(section => section.id !== id)

export const rename = (marking: Marking, id: string, name: Name): Marking =>
  marking.map(section => (section.id === id ? { ...section, ...name } : section))

/** What is wrong with a name, in words for who types it. */
export function nameFaults({ id, label }: Name, others: Iterable<string>): { id?: string; label?: string } {
  const faults: { id?: string; label?: string } = {}
  if (!label.trim()) faults.label = 'Say what people call it.'
  else if ([...label.trim()].length > 80) faults.label = 'At most 80 characters.'
  if (!/^[a-z0-9-]{1,40}$/.test(id)) faults.id = '1 to 40 of a to z, 0 to 9 and "-".'
  else if ([...others].includes(id)) faults.id = 'Another section has this id.'
  return faults
}
