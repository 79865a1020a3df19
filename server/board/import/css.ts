const MAX_CALLS = 100
const MAX_VALUE = 64 * 1024

/** Replaces every call of one CSS function, from the inside out; what is too long for a value becomes nothing. */
export function replaceCalls(value: string, name: string, by: (args: string[]) => string): string {
  let text = value
  for (let calls = 0; calls < MAX_CALLS; calls++) {
    const call = lastCall(text, name)
    if (call === undefined) return text
    if (text.length > MAX_VALUE) return ''
    const { pieces, end } = splitOutside(text.slice(call.args), ',')
    text = text.slice(0, call.at) + by(pieces.map(piece => piece.trim())) + text.slice(call.args + end)
  }
  return ''
}

function lastCall(text: string, name: string): { at: number; args: number } | undefined {
  const calls = [...text.matchAll(new RegExp(`(?<![\\w-])${name}\\(`, 'gi'))]
  const last = calls.at(-1)
  return last && { at: last.index, args: last.index + name.length + 1 }
}

/** Cuts at a character outside of strings and brackets, up to a bracket that closes nothing in it. */
export function splitOutside(text: string, at: string): { pieces: string[]; end: number } {
  const pieces: string[] = []
  let [start, depth, quote] = [0, 0, '']
  for (let i = 0; i < text.length; i++) {
    const c = text[i]!
    if (quote) quote = c === quote ? '' : quote
    else if (c === '"' || c === "'") quote = c
    else if (c === '(') depth++
    else if (c === ')' && depth-- === 0) return { pieces: [...pieces, text.slice(start, i)], end: i + 1 }
    else if (c === at && depth === 0) {
      pieces.push(text.slice(start, i))
      start = i + 1
    }
  }
  return { pieces: [...pieces, text.slice(start)], end: text.length }
}

/** How deep brackets lie in each other: a parser that follows them needs as many calls. */
export function bracketDepth(text: string): number {
  let [depth, most] = [0, 0]
  for (const [bracket] of text.matchAll(/[([{)\]}]/g)) {
    if ('([{'.includes(bracket)) most = Math.max(most, ++depth)
    else depth = Math.max(0, depth - 1)
  }
  return most
}
