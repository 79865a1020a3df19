import type { Board } from '../board/board.ts'
import type { FiledDefect } from './queue.ts'

/** What a service worker gets. */
export interface Message {
  title: string
  body: string
  section_id: string
  defect_id: string
  url: string
}

/** Encrypted it fills the 4 096 bytes that every push service takes. */
export const MESSAGE_MOST_BYTES = 3_993
const TITLE_MOST_BYTES = 1_000

const characters = new Intl.Segmenter('und', { granularity: 'grapheme' })

/** The service worker takes the section's name from behind the last ` · ` of the title. */
export function messageFor(defect: FiledDefect, board: Board): string {
  const section = board.sections.get(defect.sectionId)?.label ?? defect.sectionId
  return serialise({
    title: `${defect.projectName} · ${cut(section, TITLE_MOST_BYTES / 2)}`,
    body: defect.verbatim,
    section_id: defect.sectionId,
    defect_id: defect.id,
    url: `/sections/${defect.sectionId}`,
  })
}

export function testMessage(): string {
  return serialise({
    title: 'Test from Faultline',
    body: 'Push works on this device.',
    section_id: '',
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
  const whole = fitting(
    [...characters.segment(text.slice(0, mostBytes))].map(part => part.segment),
    room,
  )
  return `${whole || fitting([...text.slice(0, mostBytes)], room)}…`
}

function fitting(parts: string[], room: number): string {
  let kept = ''
  let left = room
  for (const part of parts) {
    left -= jsonBytes(part)
    if (left < 0) break
    kept += part
  }
  return kept
}
