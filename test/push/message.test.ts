import { expect, test } from 'bun:test'
import type { Board } from '../../server/board/board.ts'
import { cut, MESSAGE_MOST_BYTES, type Message, messageFor, testMessage } from '../../server/push/message.ts'

const board: Board = {
  svg: '',
  sections: new Map([['usb-port', { id: 'usb-port', label: 'USB port' }]]),
  retired: new Map(),
  images: new Map(),
  warnings: [],
}
const defect = { id: 'd1', section_id: 'usb-port', project_name: 'Radio', verbatim: 'The shield is loose' }
const message = (changed: Partial<typeof defect> = {}) => {
  const text = messageFor({ ...defect, ...changed }, board)
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MESSAGE_MOST_BYTES)
  return JSON.parse(text) as Message
}

test('a message says where, for which project and what', () => {
  expect(message()).toEqual({
    title: 'Radio · USB port',
    body: 'The shield is loose',
    section_id: 'usb-port',
    section: 'USB port',
    defect_id: 'd1',
    url: '/defects/d1',
  })
})

test('a section that left the board goes by its id', () => {
  expect(message({ section_id: 'old-fan' })).toMatchObject({ title: 'Radio · old-fan', section: 'old-fan' })
})

test.each([
  ['ASCII', 'x'],
  ['two bytes', 'ü'],
  ['surrogate pairs', '🔩'],
  ['quotes that JSON escapes', '"'],
  ['controls that JSON escapes sixfold', '\u0001'],
  ['families that joiners hold together', '👨‍👩‍👧‍👦'],
  ['line ends', '\r\n'],
])('a long report of %s is cut between characters and fills the message', (_, character) => {
  const verbatim = character.repeat(5_000)
  for (const shift of ['', '.', '..', '...']) {
    const text = messageFor({ ...defect, verbatim: shift + verbatim }, board)
    const { body } = JSON.parse(text) as Message
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MESSAGE_MOST_BYTES)
    expect(Buffer.byteLength(text)).toBeGreaterThan(MESSAGE_MOST_BYTES - 40)
    expect(body).toEndWith('…')
    expect(body.slice(shift.length, -1).replaceAll(character, '')).toBe('')
    expect(body.isWellFormed()).toBe(true)
  }
})

test('a character larger than the message is cut between code points', () => {
  const body = message({ verbatim: `a${'\u0301'.repeat(4_999)}` }).body
  expect(body.length).toBeGreaterThan(1_000)
  expect(body).toEndWith('…')
})

test('a character larger than the message that ends in half a pair loses that half', () => {
  for (const shift of ['', 'x', 'xx', 'xxx']) {
    const { body } = message({ verbatim: `${shift}a${'\u{1E944}'.repeat(4_000)}` })
    expect([shift, body.isWellFormed()]).toEqual([shift, true])
    expect(body.length).toBeGreaterThan(1_000)
  }
})

test('what just fits is not cut', () => {
  const room = MESSAGE_MOST_BYTES - Buffer.byteLength(messageFor({ ...defect, verbatim: '' }, board))
  expect(message({ verbatim: 'x'.repeat(room) }).body).toBe('x'.repeat(room))
  expect(message({ verbatim: 'x'.repeat(room + 1) }).body).toBe(`${'x'.repeat(room - 3)}…`)
})

test('the longest names still leave the section its place', () => {
  const sections = new Map([['usb-port', { id: 'usb-port', label: '📦'.repeat(2_000) }]])
  const text = messageFor({ ...defect, project_name: '🔧'.repeat(120) }, { ...board, sections })
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MESSAGE_MOST_BYTES)
  expect((JSON.parse(text) as Message).title).toContain(' · 📦')
})

test('short text stays as it is', () => {
  expect(cut('abc', 3)).toBe('abc')
  expect(cut('abcd', 3)).toBe('…')
})

test('the test message opens the board', () => {
  expect(JSON.parse(testMessage())).toMatchObject({ section_id: '', url: '/' })
})
