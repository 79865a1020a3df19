import { DatabaseUnavailable, Refusal } from './errors.ts'

export interface Bounds<Item> {
  /** of one batch */
  items: number
  bytes: number
  sizeOf(item: Item): number
  /** batches under way */
  atOnce: number
  /** items that wait for their batch; who comes then is turned away at once */
  waiting: number
  /** how long an item waits for its batch to begin */
  patienceMs: number
}

interface Waiting<Item, Outcome> {
  item: Item
  since: number
  resolve(outcome: Outcome): void
  reject(error: unknown): void
}

/**
 * While a batch is under way those who come gather for the next one; who comes alone waits for nobody.
 * `write` answers an outcome for each of its items. A batch that fails for one item's sake is halved until that
 * item stands alone.
 */
export function batched<Item, Outcome>(
  write: (items: Item[]) => Promise<Outcome[]>,
  bounds: Bounds<Item>,
  now = () => performance.now(),
): (item: Item) => Promise<Outcome> {
  const waiting: Waiting<Item, Outcome>[] = []
  let underWay = 0

  function begin() {
    if (underWay >= bounds.atOnce) return
    const batch = takeNext()
    if (batch.length === 0) return
    underWay++
    settle(batch).then(() => {
      underWay--
      begin()
    })
  }

  function takeNext() {
    const oldest = now() - bounds.patienceMs
    const late = waiting.findIndex(({ since }) => since >= oldest)
    const tooLate = waiting.splice(0, late < 0 ? waiting.length : late)
    for (const { reject } of tooLate) reject(new DatabaseUnavailable('the batches before took too long'))
    let bytes = 0
    const end = waiting.findIndex(({ item }, i) => {
      bytes += bounds.sizeOf(item)
      return i > 0 && (i === bounds.items || bytes > bounds.bytes)
    })
    return waiting.splice(0, end < 0 ? waiting.length : end)
  }

  async function settle(batch: Waiting<Item, Outcome>[]): Promise<void> {
    try {
      const outcomes = await write(batch.map(({ item }) => item))
      for (const [i, { resolve }] of batch.entries()) resolve(outcomes[i] as Outcome)
    } catch (error) {
      if (batch.length > 1 && !(error instanceof DatabaseUnavailable)) {
        const half = batch.length >> 1
        await settle(batch.slice(0, half))
        await settle(batch.slice(half))
      } else for (const { reject } of batch) reject(error)
    }
  }

  return item => {
    if (waiting.length >= bounds.waiting) return Promise.reject(new Refusal('overloaded'))
    return new Promise((resolve, reject) => {
      waiting.push({ item, since: now(), resolve, reject })
      // At the end of this turn, so that those who come with it ride along.
      if (waiting.length === 1) setImmediate(begin)
    })
  }
}
