import { BoardFaults, cleanDrawing, decodeDrawing, readDrawing, refusal } from '../board.ts'
import type { Warning } from '../findings.ts'
import { type Image, MAX_IMAGE_BYTES, type Picture, pictureIn } from '../import/images.ts'
import { descendants, get, set, type XmlElement } from '../parse.ts'
import { type Shape, SVG_NAMESPACE } from '../policy.ts'
import { writeSvg } from '../write.ts'
import { type Marking, markDrawing, takeMarking } from './marking.ts'

/** A drawing that sections are marked in: its cleaned form, and the marks apart from it. */
export interface OpenDrawing {
  drawing: Shape
  images: ReadonlyMap<string, Image>
  /** what the import changed or left out */
  warnings: readonly Warning[]
  /** as the file says it */
  marking: Marking
}

const PICTURE_TOO_LARGE = 'the picture is larger than 2 MiB: save it smaller, 2000 pixels wide or so'

/** Opens a drawing, or a photograph as a drawing; whether its sections are right is asked later. */
export function openDrawing(file: string): OpenDrawing {
  const bytes = readDrawing(file, /\.(png|jpe?g|webp)$/i.test(file) ? PICTURE_TOO_LARGE : undefined)
  const picture = pictureIn(bytes)
  return readOpen(picture ? drawingOf(bytes, picture) : decodeDrawing(bytes))
}

export function readOpen(svg: string): OpenDrawing {
  const { drawing, images, findings } = cleanDrawing(svg, keepNames)
  if (findings.faults.length) throw refusal(findings)
  return { drawing, images, warnings: findings.warnings, marking: takeMarking(drawing) }
}

const INKSCAPE = 'http://www.inkscape.org/namespaces/inkscape'

/** What drawing programs call an element is no label yet, but a good one to begin with. */
function keepNames(root: XmlElement): void {
  for (const element of descendants(root)) {
    const inkscape = element.attributes.find(a => a.name === 'label' && a.namespace === INKSCAPE)
    const name = inkscape?.value ?? get(element, 'data-name')
    if (name && get(element, 'aria-label') === undefined) set(element, 'aria-label', name)
  }
}

function drawingOf(bytes: Uint8Array, { type, width, height }: Picture): string {
  if (bytes.length > MAX_IMAGE_BYTES) throw new BoardFaults([PICTURE_TOO_LARGE])
  const size = `width="${width}" height="${height}"`
  return `<svg xmlns="${SVG_NAMESPACE}" viewBox="0 0 ${width} ${height}"><image ${size} href="${dataUri({ bytes, type })}"/></svg>`
}

const dataUri = ({ bytes, type }: Image) => `data:${type};base64,${Buffer.from(bytes).toString('base64')}`

/** The file of a board: the cleaned drawing with its sections, and its pictures inside. */
export function writeBoard({ drawing, images }: OpenDrawing, marking: Marking): string {
  const marked = markDrawing(drawing, marking)
  for (const shape of descendants(marked)) {
    const image = images.get(shape.attributes.get('href') ?? '')
    if (image) shape.attributes = new Map([...shape.attributes, ['href', dataUri(image)]])
  }
  return `${writeSvg(marked)}\n`
}
