import { readFileSync, statSync } from 'node:fs'
import { fileFault, notAFile } from '../file-fault.ts'
import builtIn from './built-in.svg' with { type: 'text' }
import { clip, type Findings, type Warning } from './findings.ts'
import { decode, NotText } from './import/decode.ts'
import type { Image, Images } from './import/images.ts'
import { importDrawing } from './import/import.ts'
import { parseXml, type XmlElement } from './parse.ts'
import { cleanElement, judgeFor, marksSection, type Shape, SVG_NAMESPACE } from './policy.ts'
import { judgeReuse } from './reuse.ts'
import { findSections, type Section } from './sections.ts'
import { warnUnseen } from './unseen.ts'
import { viewBoxOf } from './view-box.ts'
import { writeSvg } from './write.ts'

export { sayWarning, type Warning } from './findings.ts'
export type { Image } from './import/images.ts'
export { isSectionId, type Section } from './sections.ts'

export interface Board {
  /** the validated picture, as served at /board.svg */
  svg: string
  /** by id, in the order of the drawing */
  sections: ReadonlyMap<string, Section>
  /** those that have left it and still have defects */
  retired: ReadonlyMap<string, Retired>
  /** pictures that were embedded in the file, by the path that the drawing names them by */
  images: ReadonlyMap<string, Image>
  /** what the import changed or left out */
  warnings: readonly Warning[]
}

/** A section that has left the board and still has defects. */
export interface Retired {
  id: string
  label: string
  /** days on which it was there for the first time, and no longer */
  firstDay: string
  lastDay: string
}

/** Why a drawing cannot be the board: one line a fault, each with its mend. */
export class BoardFaults extends Error {
  override readonly name = 'BoardFaults'
  constructor(readonly faults: string[]) {
    super(['The board cannot be used:', ...faults].join('\n  '))
  }
}

const MAX_BYTES = 4 * 1024 * 1024
const MAX_LISTED = 200
const NO_SECTION = ': no section: mark shapes with data-section="…" and data-label="…"'

/** The board of BOARD_FILE, or the built-in one. */
export function loadBoard(file?: string): Board {
  return parseBoard(readBoardFile(file))
}

export const readBoardFile = (file?: string) =>
  file === undefined ? builtIn : decodeDrawing(readDrawing(file))

export function parseBoard(svg: string): Board {
  const { drawing, images, complete, marked, findings } = cleanDrawing(svg)
  const sections = findSections(drawing, findings)
  if (complete && !sections.size && !(marked && findings.faults.length)) findings.fault(drawing, NO_SECTION)
  if (findings.faults.length) throw refusal(findings)
  warnUnseen(drawing, drawing.attributes.get('viewBox') ?? '', findings)
  return { svg: writeSvg(drawing), sections, retired: new Map(), images, warnings: findings.warnings }
}

/** A drawing in its cleaned form; its sections are not judged yet. */
export interface CleanDrawing {
  drawing: Shape
  images: ReadonlyMap<string, Image>
  /** read to its end */
  complete: boolean
  /** says itself that something is a section */
  marked: boolean
  findings: Findings
}

/** `prepare` may change the drawing before anything is judged. */
export function cleanDrawing(svg: string, prepare?: (root: XmlElement) => void): CleanDrawing {
  if (Buffer.byteLength(svg) > MAX_BYTES) throw new BoardFaults([TOO_LARGE])
  const { root, complete, findings } = parseXml(svg)
  if (!root || !isSvg(root, findings)) throw refusal(findings)
  prepare?.(root)
  const marked = marksSection(root)
  const images = importDrawing(root, findings)
  const drawing = cleanRoot(root, images, findings)
  judgeReuse(drawing, findings)
  return { drawing, images: images.kept, complete, marked, findings }
}

function isSvg(root: XmlElement, findings: Findings): boolean {
  if (root.name === 'svg' && ['', SVG_NAMESPACE].includes(root.namespace)) return true
  findings.faultInLine(root.line, `the root is <${clip(root.name)}>: the file must hold one <svg>`)
  return false
}

function cleanRoot(root: XmlElement, images: Images, findings: Findings): Shape {
  const drawing = cleanElement(
    judgeFor(root, findings, href => images.kept.has(href)),
    root,
  )!
  const viewBox = viewBoxOf(name => drawing.attributes.get(name))
  if (!viewBox) findings.fault(root, ' has no size: add viewBox="0 0 WIDTH HEIGHT"')
  for (const name of ['xmlns', 'viewBox', 'width', 'height', 'x', 'y']) drawing.attributes.delete(name)
  drawing.attributes = new Map([['xmlns', SVG_NAMESPACE], ['viewBox', viewBox ?? ''], ...drawing.attributes])
  return drawing
}

export function refusal({ faults }: Findings): BoardFaults {
  const sorted = faults.toSorted((a, b) => a.line - b.line).map(({ line, text }) => `line ${line}: ${text}`)
  const listed = [...new Set(sorted)]
  if (listed.length <= MAX_LISTED) return new BoardFaults(listed)
  return new BoardFaults([...listed.slice(0, MAX_LISTED), `and ${listed.length - MAX_LISTED} more`])
}

const TOO_LARGE = 'the drawing is larger than 4 MiB: simplify its paths, or make pictures inside it smaller'

export function readDrawing(file: string, tooLarge = TOO_LARGE): Uint8Array {
  try {
    const found = statSync(file)
    if (!found.isFile()) throw notAFile(file, 'read')
    if (found.size <= MAX_BYTES) return readFileSync(file)
  } catch (error) {
    throw fileFault(error, file, 'read') ?? error
  }
  throw new BoardFaults([tooLarge])
}

export function decodeDrawing(bytes: Uint8Array): string {
  try {
    return decode(bytes)
  } catch (error) {
    throw error instanceof NotText ? new BoardFaults([error.message]) : error
  }
}
