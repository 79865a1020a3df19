/** A few things, by texts that come again and again, such as headers. */
export function memory<T>(most: number) {
  const known = new Map<string, T>()
  return {
    get: (text: string): T | undefined => known.get(text),
    set(text: string, value: T): void {
      if (text.length > LONGEST) return
      if (known.size >= most) known.clear()
      known.set(text, value)
    },
  }
}

/** Whoever sends long ones to fill the memory gets nothing remembered. */
const LONGEST = 260

/** Remembers what a pure function said. */
export function memoized<T>(most: number, judge: (text: string) => T): (text: string) => T {
  const known = memory<{ judged: T }>(most)
  return text => {
    const found = known.get(text)
    if (found) return found.judged
    const judged = judge(text)
    known.set(text, { judged })
    return judged
  }
}
