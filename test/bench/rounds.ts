/** The middle of all rounds, and the lowest and highest of them. */
export interface Spread {
  value: number
  low: number
  high: number
}

/** Each is asked once a round, in turn, so that they share what else the machine does. */
export async function inTurn<T>(rounds: number, ask: (() => Promise<T>)[]): Promise<T[][]> {
  const answers: T[][] = ask.map(() => [])
  for (let round = 0; round < rounds; round++) {
    for (const [i, one] of ask.entries()) answers[i]!.push(await one())
  }
  return answers
}

export function spread(values: number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
  return { value: sorted[sorted.length >> 1]!, low: sorted[0]!, high: sorted.at(-1)! }
}

/** Round by round: what one of them met, the other met too. */
export const ratio = (ours: number[], theirs: number[]) => spread(ours.map((value, i) => value / theirs[i]!))
