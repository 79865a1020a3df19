/** What people may write, judged in one place for routes and terminal alike. */

const whiteSpace = /[\p{White_Space}\uFEFF]/u
const visible = /[^\p{White_Space}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u
const controls = /[\p{Cc}\p{Zl}\p{Zp}]/u
/** Joiners and flag tags make up emoji and some scripts; other format characters only deceive. */
const hiddenFormat = /(?!\u200C|\u200D|[\u{E0020}-\u{E007F}])\p{Cf}/u

/** By index, not by a regular expression: `\s+$` takes quadratic time on hostile text. */
export function trim(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && whiteSpace.test(text[start]!)) start++
  while (end > start && whiteSpace.test(text[end - 1]!)) end--
  return text.slice(start, end)
}

export function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

/** Why a text cannot be kept as it is, or undefined. Judges the text as `trim` leaves it. */
export function textFault(text: string, limit: number): string | undefined {
  const trimmed = trim(text)
  if (!visible.test(trimmed)) return 'must not be blank'
  if (!trimmed.isWellFormed()) return 'holds half of a surrogate pair, which is not text'
  if (trimmed.includes('\0')) return 'must not hold NUL characters'
  const length = trimmed.length > limit ? codePoints(trimmed) : trimmed.length
  return length > limit ? tooLong(length, limit) : undefined
}

const tooLong = (length: number, limit: number) => `must be at most ${limit} characters, is ${length}`

/** NFC makes at most four code points one; to put many thousands of marks in order takes it seconds. */
const COMPOSED_MOST = 4

export function nameFault(text: string, limit: number): string | undefined {
  const name = trim(text)
  const length = codePoints(name)
  if (length > limit * COMPOSED_MOST) return tooLong(length, limit)
  const fault = textFault(name.normalize('NFC'), limit)
  if (fault) return fault
  if (controls.test(name) || hiddenFormat.test(name)) return 'must not hold control characters'
  return undefined
}
