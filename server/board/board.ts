import { readFileSync, statSync } from 'node:fs'
import { fileFault, notAFile } from '../file-fault.ts'
import builtIn from './built-in.svg' with { type: 'text' }
import { clip, type Fault, parseXml, type XmlElement } from './parse.ts'
import { cleanElement, judgeFor, marksSection, type Shape, SVG_NAMESPACE } from './policy.ts'
import { judgeReuse } from './reuse.ts'
import { findSections, type Section } from './sections.ts'
import { viewBoxOf } from './view-box.ts'
import { writeSvg } from './write.ts'

export { isSectionId, type Section } from './sections.ts'

export interface Board {
  /** the validated picture, as served at /board.svg */
  svg: string
  /** by id, in the order of the drawing */
  sections: ReadonlyMap<string, Section>
}

/** Why a drawing cannot be the board: one line a fault, each with its mend. */
export class BoardFaults extends Error {
  override readonly name = 'BoardFaults'
  constructor(readonly faults: string[]) {
    super(['The board cannot be used:', ...faults].join('\n  '))
  }
}

const MAX_BYTES = 1024 * 1024
const MAX_LISTED = 200
const NO_SECTION = 'no section: mark shapes with data-section="…" and data-label="…"'

/** The board of BOARD_FILE, or the built-in one. */
export function loadBoard(file?: string): Board {
  return parseBoard(file === undefined ? builtIn : readBoardFile(file))
}

export function parseBoard(svg: string): Board {
  if (Buffer.byteLength(svg) > MAX_BYTES) throw new BoardFaults([tooLarge()])
  const { root, complete, faults } = parseXml(svg)
  if (!root) throw refusal(faults)
  const drawing = judgeRoot(root, faults)
  if (!drawing) throw refusal(faults)
  const { sections, faults: sectionFaults } = findSections(drawing)
  faults.push(...sectionFaults, ...judgeReuse(drawing))
  if (complete && !marksSection(root)) faults.push({ line: root.line, text: NO_SECTION })
  if (faults.length) throw refusal(faults)
  return { svg: writeSvg(drawing), sections }
}

function judgeRoot(root: XmlElement, faults: Fault[]): Shape | undefined {
  if (root.name !== 'svg' || (root.namespace !== '' && root.namespace !== SVG_NAMESPACE)) {
    faults.push({ line: root.line, text: `the root is <${clip(root.name)}>: the file must hold one <svg>` })
    return undefined
  }
  const drawing = cleanElement(judgeFor(root, faults), root)
  if (!drawing) return undefined
  const viewBox = viewBoxOf(drawing.attributes)
  if (!viewBox) faults.push({ line: root.line, text: '<svg> has no size: add viewBox="0 0 WIDTH HEIGHT"' })
  for (const name of ['xmlns', 'viewBox', 'width', 'height', 'x', 'y']) drawing.attributes.delete(name)
  drawing.attributes = new Map([['xmlns', SVG_NAMESPACE], ['viewBox', viewBox ?? ''], ...drawing.attributes])
  return drawing
}

function refusal(faults: Fault[]): BoardFaults {
  const sorted = faults.toSorted((a, b) => a.line - b.line).map(({ line, text }) => `line ${line}: ${text}`)
  const listed = [...new Set(sorted)]
  if (listed.length <= MAX_LISTED) return new BoardFaults(listed)
  return new BoardFaults([...listed.slice(0, MAX_LISTED), `and ${listed.length - MAX_LISTED} more`])
}

const tooLarge = () => 'the drawing is larger than 1 MiB: simplify its paths, or remove pictures inside it'

function readBoardFile(file: string): string {
  const bytes = bytesOf(file)
  if (bytes[0] === 0x1f && bytes[1] === 0x8b)
    throw new BoardFaults(['BOARD_FILE: the drawing is compressed (.svgz): save it as plain SVG'])
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new BoardFaults(['BOARD_FILE: the drawing is not UTF-8: save it with that encoding'])
  }
}

function bytesOf(file: string): Uint8Array {
  try {
    const { size } = requireFile(file)
    if (size > MAX_BYTES) throw new BoardFaults([`BOARD_FILE: ${tooLarge()}`])
    return readFileSync(file)
  } catch (error) {
    if (error instanceof BoardFaults) throw error
    throw fileFault(error, file, 'read') ?? error
  }
}

function requireFile(file: string): { size: number } {
  const found = statSync(file)
  if (!found.isFile()) throw notAFile(file, 'read')
  return found
}
