/** Remembers what a pure function said of a few strings that come again and again, such as headers. */
export function memoized<T>(most: number, judge: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>()
  return text => {
    const remembered = known.get(text)
    if (remembered !== undefined || known.has(text)) return remembered as T
    if (text.length > LONGEST) return judge(text)
    if (known.size >= most) known.clear()
    const judged = judge(text)
    known.set(text, judged)
    return judged
  }
}

/** Whoever sends long ones to fill the memory gets them judged each time. */
const LONGEST = 260
