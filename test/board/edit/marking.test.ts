import { expect, test } from 'bun:test'
import { parseBoard } from '../../../server/board/board.ts'
import { type Marking, NotOfThisDrawing } from '../../../server/board/edit/marking.ts'
import { readOpen, writeBoard } from '../../../server/board/edit/open-drawing.ts'
import { writeSvg } from '../../../server/board/write.ts'
import { drawing, faultsOf } from '../../support/board.ts'

const HOUSE = drawing(`
  <title>House</title>
  <style>.wall { fill: #ccc }</style>
  <g id="ground" inkscape:label="Ground floor"><rect class="wall" width="40" height="30"/><circle r="4"/></g>
  <g><path data-name="Roof &amp; sky" d="M0 0h9v9z"/></g>`)
const marking: Marking = [
  { id: 'ground', label: 'Ground & floor', parts: [{ path: '1' }, { rect: [50, 10, 20, 12.5] }] },
  {
    id: 'roof',
    label: 'Roof',
    parts: [
      { path: '2.0' },
      {
        polygon: [
          [60, 40],
          [80, 40],
          [70, 55.5],
        ],
      },
    ],
  },
]

test('a drawing without sections is opened, and what its editor calls an element is kept to begin with', () => {
  const open = readOpen(HOUSE)
  expect(open.marking).toEqual([])
  const written = writeBoard(open, [])
  expect(written).toContain('<g id="board-ground" aria-label="Ground floor">')
  expect(written).toContain('aria-label="Roof &amp; sky"')
  expect(open.warnings.map(({ text }) => text)).toContain('styles are written as attributes')
})

test('marked elements and shapes drawn over the drawing are its sections', () => {
  const board = parseBoard(writeBoard(readOpen(HOUSE), marking))
  expect([...board.sections.values()]).toEqual([
    { id: 'ground', label: 'Ground & floor' },
    { id: 'roof', label: 'Roof' },
  ])
  expect(board.svg).toMatch(/<rect [^>]*x="50" y="10" width="20" height="12.5"[^>]* data-section="ground"/)
  expect(board.svg).toMatch(/<polygon [^>]*points="60,40 80,40 70,55.5"/)
})

test('what is written and opened again has the same marks, and is written the same', () => {
  const written = writeBoard(readOpen(HOUSE), marking)
  const again = readOpen(written)
  expect(again.marking).toEqual(marking)
  expect(writeBoard(again, again.marking)).toBe(written)
  expect(writeBoard(again, [])).toBe(writeBoard(readOpen(HOUSE), []))
})

test('the board is exactly what is written, and what is written is found to have nothing more to change', () => {
  const written = writeBoard(readOpen(HOUSE), marking)
  const { svg, warnings } = parseBoard(written)
  expect(warnings).toEqual([])
  expect(parseBoard(svg).svg).toBe(svg)
})

test('marking leaves the drawing as it is', () => {
  const open = readOpen(HOUSE)
  const before = writeBoard(open, [])
  writeBoard(open, marking)
  expect(writeBoard(open, [])).toBe(before)
})

test('the marks of a file are opened with all that is still wrong about them', () => {
  const file = drawing(`<g data-section="A b"><rect data-section="inner" width="9" height="9"/></g>
    <rect data-section="A b" aria-label="Late name" width="5" height="5"/>
    <rect data-section="A b" data-label="Another name" width="6" height="6"/>
    <g data-section="bare"><title>Said by title</title><circle data-section="bare" r="5"/></g>`)
  expect(faultsOf(file).length).toBeGreaterThan(1)
  expect(readOpen(file).marking).toEqual([
    { id: 'A b', label: 'Late name', parts: [{ path: '0' }, { path: '1' }, { path: '2' }] },
    { id: 'inner', label: '', parts: [{ path: '0.0' }] },
    { id: 'bare', label: 'Said by title', parts: [{ path: '3' }] },
  ])
})

test('a marking of elements that the drawing does not have, or of one twice, is refused', () => {
  const open = readOpen(HOUSE)
  const at = (...paths: string[]): Marking =>
    paths.map(path => ({ id: 'it', label: 'It', parts: [{ path }] }))
  expect(() => writeBoard(open, at('7'))).toThrow(NotOfThisDrawing)
  expect(() => writeBoard(open, at('1.0.0'))).toThrow(NotOfThisDrawing)
  expect(() => writeBoard(open, at('1', '1'))).toThrow(NotOfThisDrawing)
})

test('what no board may have is refused on opening, all at once', () => {
  const file = drawing('<script/><g onclick="x()"/>')
  expect(() => readOpen(file)).toThrow(/<script>.*\n.*onclick/)
})

test('embedded pictures are inside again in what is written', () => {
  const pixel =
    'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
  const file = drawing(`<image width="9" height="9" href="${pixel}"/><rect width="9" height="9"/>`)
  const open = readOpen(file)
  const written = writeBoard(open, [{ id: 'it', label: 'It', parts: [{ path: '1' }] }])
  expect(writeSvg(open.drawing)).toContain('href="/board/images/')
  expect(written).toContain(`href="${pixel}"`)
  expect(parseBoard(written).images.size).toBe(1)
})
