import { afterAll, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { parseBoard } from '../../../server/board/board.ts'
import { openDrawing, writeBoard } from '../../../server/board/edit/open-drawing.ts'
import { home } from '../../support/cli.ts'
import { JPEG, photograph } from '../../support/picture.ts'

const place = home()
afterAll(() => place.remove())

function opened(bytes: Uint8Array) {
  writeFileSync(place.file('picture'), bytes)
  return openDrawing(place.file('picture'))
}
const viewBoxOf = (bytes: Uint8Array) => opened(bytes).drawing.attributes.get('viewBox')

/** As cameras write how they were held. */
function held(orientation: number, order: 'II' | 'MM', entries = 1): Buffer {
  const little = order === 'II'
  const note = Buffer.alloc(26)
  const short = (value: number, at: number) =>
    little ? note.writeUInt16LE(value, at) : note.writeUInt16BE(value, at)
  note.write(order)
  short(42, 2)
  if (little) note.writeUInt32LE(8, 4)
  else note.writeUInt32BE(8, 4)
  short(entries, 8)
  short(entries === 1 ? 0x0112 : 0x0100, 10)
  short(3, 12)
  short(orientation, 18)
  return withNote(note)
}

function withNote(note: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from('Exif\0\0'), note])
  const head = Buffer.from([0xff, 0xe1, 0, body.length + 2])
  return Buffer.concat([JPEG.subarray(0, 2), head, body, JPEG.subarray(2)])
}

test('a photograph is a drawing of its size, whatever its file is called', () => {
  const { drawing, marking, images } = opened(photograph(40, 30))
  expect(drawing.attributes.get('viewBox')).toBe('0 0 40 30')
  expect([marking, images.size]).toEqual([[], 1])
  expect(viewBoxOf(JPEG)).toBe('0 0 32 16')
})

test('a photograph of a camera that was held upright is as high as browsers show it', () => {
  for (const order of ['II', 'MM'] as const) {
    for (const orientation of [5, 6, 7, 8]) expect(viewBoxOf(held(orientation, order))).toBe('0 0 16 32')
    for (const orientation of [0, 1, 2, 3, 4]) expect(viewBoxOf(held(orientation, order))).toBe('0 0 32 16')
  }
})

test('what a camera writes wrongly turns nothing', () => {
  const far = Buffer.from('MM\0*\xff\xff\xff\xff', 'latin1')
  for (const bytes of [
    held(6, 'MM', 65_535),
    withNote(Buffer.alloc(0)),
    withNote(far),
    withNote(Buffer.from('II')),
  ])
    expect(viewBoxOf(bytes)).toBe('0 0 32 16')
})

test('sections drawn over a photograph make it a board', () => {
  const open = opened(photograph(40, 30))
  const board = parseBoard(
    writeBoard(open, [{ id: 'press', label: 'Press', parts: [{ rect: [5, 5, 10, 8] }] }]),
  )
  expect([[...board.sections.keys()], board.images.size]).toEqual([['press'], 1])
})

test('a photograph of more than 2 MiB is refused with what to do', () => {
  const large = Buffer.concat([photograph(40, 30), Buffer.alloc(2 * 1024 * 1024)])
  expect(() => opened(large)).toThrow(/larger than 2 MiB: save it smaller/)
})
