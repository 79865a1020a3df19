import type { Board } from '../board/board.ts'

/** What a push says about a defect: an entry of the feed has it all. */
export interface PushedDefect {
  id: string
  section_id: string
  project_name: string
  verbatim: string
}

/** What a service worker gets. */
export interface Message {
  title: string
  body: string
  section_id: string
  /** its label */
  section: string
  defect_id: string
  url: string
}

/** Encrypted it fills the 4 096 bytes that every push service takes. */
export const MESSAGE_MOST_BYTES = 3_993
const TITLE_MOST_BYTES = 1_000
const LABEL_MOST_BYTES = 500
const NEARBY = 64

const characters = new Intl.Segmenter('und', { granularity: 'grapheme' })

export function messageFor(defect: PushedDefect, board: Board): string {
  const section = cut(board.sections.get(defect.section_id)?.label ?? defect.section_id, LABEL_MOST_BYTES)
  return serialise({
    title: `${defect.project_name} · ${section}`,
    body: defect.verbatim,
    section_id: defect.section_id,
    section,
    defect_id: defect.id,
    url: `/defects/${defect.id}`,
  })
}

export function testMessage(): string {
  return serialise({
    title: 'Test from Faultline',
    body: 'Push works on this device.',
    section_id: '',
    section: '',
    defect_id: '',
    url: '/',
  })
}

function serialise(message: Message): string {
  const title = cut(message.title, TITLE_MOST_BYTES)
  const frame = Buffer.byteLength(JSON.stringify({ ...message, title, body: '' }))
  return JSON.stringify({ ...message, title, body: cut(message.body, MESSAGE_MOST_BYTES - frame) })
}

const jsonBytes = (text: string) => Buffer.byteLength(JSON.stringify(text)) - 2

/** At most so many bytes inside JSON; what is cut ends in an ellipsis, never in half a character. */
export function cut(text: string, mostBytes: number): string {
  if (jsonBytes(text) <= mostBytes) return text
  const room = mostBytes - jsonBytes('…')
  return `${text.slice(0, boundaryBefore(text, fittingLength(text, room)))}…`
}

/** Never ends in half a pair: half a pair takes more bytes than the whole one. */
function fittingLength(text: string, room: number): number {
  let fits = 0
  let most = Math.min(text.length, room)
  while (fits < most) {
    const middle = (fits + most + 1) >> 1
    if (jsonBytes(text.slice(0, middle)) <= room) fits = middle
    else most = middle - 1
  }
  return fits
}

/** Looks only around the place: to segment all of a long report would take milliseconds. */
function boundaryBefore(text: string, place: number): number {
  const start = Math.max(0, place - NEARBY)
  let boundary = start
  for (const { index } of characters.segment(text.slice(start, place + NEARBY))) {
    if (start + index > place) break
    boundary = start + index
  }
  return boundary > start ? boundary : place
}
