import { randomBytes } from 'node:crypto'

export const SESSION_PASSWORD_LEAST = 32
const SURPRISING_LEAST = 16
const DIFFERENT_LEAST = 10

export const generateSessionPassword = () => randomBytes(36).toString('base64url')

/** Long, not of digits alone (people count, or write dates), and enough is left of it once repeats, sequences, keyboard rows and repeated blocks are taken out. */
export function isStrongPassword(text: string): boolean {
  if (text.length < SESSION_PASSWORD_LEAST || /^\d+$/.test(text)) return false
  const lower = text.toLowerCase()
  const surprising = text.split('').filter((_, i) => !isExpected(lower, i)).length
  return surprising >= SURPRISING_LEAST && new Set(text).size >= DIFFERENT_LEAST
}

/** Whether the characters before it suggest the one at `i`. */
function isExpected(text: string, i: number): boolean {
  const repeats = i > 0 && text[i] === text[i - 1]
  const isOfRepeatedBlock = i > 2 && text.indexOf(text.slice(i - 2, i + 1)) < i - 2
  return repeats || isOfRepeatedBlock || orders.some(place => goesOn(i => place(text[i] ?? ''), i))
}

const keyboards = [
  'qwertyuiop asdfghjkl zxcvbnm',
  'qwertzuiop asdfghjkl yxcvbnm',
  'azertyuiop qsdfghjklm wxcvbn',
]

/** Where characters stand that people type one after the other: in the alphabet, on keyboards. */
const orders: ((character: string) => number)[] = [
  character => character.charCodeAt(0),
  ...keyboards.map(rows => (character: string) => {
    const place = `1234567890 ${rows}`.indexOf(character)
    return place < 0 ? Number.NaN : place
  }),
]

/** A sequence such as abc or 97531, or two that take turns, such as 1q2w3e4r. */
function goesOn(at: (i: number) => number, i: number): boolean {
  const sameStep = (by: number, before: number) => {
    const step = at(i) - at(i - by)
    return Math.abs(step) <= 2 && step === at(i - before) - at(i - before - by)
  }
  return sameStep(1, 1) || sameStep(2, 1)
}
