import { expect, test } from 'bun:test'
import { type Bounds, batched } from '../server/batch.ts'
import { DatabaseUnavailable } from '../server/errors.ts'

const bounds: Bounds<string> = {
  items: 100,
  bytes: 1_000,
  sizeOf: item => item.length,
  atOnce: 1,
  waiting: 1_000,
  patienceMs: 60_000,
}

/** Batches as they are begun, each ended by the test. */
function held(changed: Partial<Bounds<string>> = {}, now?: () => number) {
  const begun: { items: string[]; end(): void; fail(error: Error): void }[] = []
  const add = batched<string, string>(
    items =>
      new Promise((resolve, reject) =>
        begun.push({ items, end: () => resolve(items.map(item => `stored ${item}`)), fail: reject }),
      ),
    { ...bounds, ...changed },
    now,
  )
  /** One that comes alone, and those that come once its batch is under way. */
  const addAfterFirst = async (...items: string[]) => {
    const answers: Promise<string>[] = []
    for (const item of items) {
      answers.push(add(item))
      if (answers.length === 1) await settled()
    }
    return answers
  }
  const batches = () => begun.map(({ items }) => items.join(' '))
  /** Ends what is under way and what follows from it. */
  const endAll = async () => {
    await settled()
    for (let at = 0; at < begun.length; at++) {
      begun[at]!.end()
      await settled()
    }
  }
  return { add, addAfterFirst, begun, batches, endAll }
}

/** Until everything that can follow by itself has. */
const settled = () => new Promise(resolve => setImmediate(resolve))
const codeOf = (adding: Promise<unknown>) => adding.catch(error => error.code)

test('who comes alone waits for nobody; who comes meanwhile rides the next batch together', async () => {
  const { addAfterFirst, batches, endAll } = held()
  const answers = await addAfterFirst('a', 'b', 'c', 'd')
  expect(batches()).toEqual(['a'])
  await endAll()
  expect(batches()).toEqual(['a', 'b c d'])
  expect(await Promise.all(answers)).toEqual(['stored a', 'stored b', 'stored c', 'stored d'])
})

test('those who come together ride together', async () => {
  const { add, batches, endAll } = held()
  const answers = ['a', 'b', 'c'].map(add)
  await endAll()
  expect(batches()).toEqual(['a b c'])
  expect(await Promise.all(answers)).toHaveLength(3)
})

test('as many batches as may be are under way at once', async () => {
  const { add, begun, batches, endAll } = held({ atOnce: 2 })
  const answers: Promise<string>[] = []
  for (const item of ['a', 'b', 'c', 'd']) {
    answers.push(add(item))
    await settled()
  }
  expect(batches()).toEqual(['a', 'b'])
  begun[1]!.end()
  await settled()
  expect(batches()).toEqual(['a', 'b', 'c d'])
  await endAll()
  expect(await Promise.all(answers)).toHaveLength(4)
})

test('a batch is bounded in items and in bytes; one item of any size is a batch', async () => {
  const byItems = held({ items: 2 })
  const byBytes = held({ bytes: 5 })
  const answers = ['a', 'b', 'c', 'd'].map(byItems.add)
  answers.push(...['a', 'bb', 'ccc', 'dd', 'a longer one', 'e'].map(byBytes.add))
  await byItems.endAll()
  await byBytes.endAll()
  expect(byItems.batches()).toEqual(['a b', 'c d'])
  expect(byBytes.batches()).toEqual(['a bb', 'ccc dd', 'a longer one', 'e'])
  expect(await Promise.all(answers)).toHaveLength(10)
})

test('who comes when too many wait is turned away at once, and later ones are welcome again', async () => {
  const { add, addAfterFirst, endAll } = held({ waiting: 2 })
  const answers = await addAfterFirst('a', 'b', 'c')
  expect(await codeOf(add('d'))).toBe('overloaded')
  await endAll()
  expect(await Promise.all(answers)).toHaveLength(3)
  const again = add('e')
  await endAll()
  expect(await again).toBe('stored e')
})

test('who waited too long for a batch to begin is told, and those after are stored', async () => {
  let time = 0
  const { add, endAll } = held({ patienceMs: 5 }, () => time)
  const first = add('a')
  await settled()
  const late = add('b').catch(error => error)
  time = 1
  const inTime = add('c')
  time = 6
  await endAll()
  expect(await first).toBe('stored a')
  expect(await late).toBeInstanceOf(DatabaseUnavailable)
  expect(await inTime).toBe('stored c')
})

test('each is answered with its own outcome', async () => {
  const add = batched<string, string>(async items => items.map((item, i) => `${item} was ${i}`), bounds)
  expect(await Promise.all(['a', 'b', 'c'].map(add))).toEqual(['a was 0', 'b was 1', 'c was 2'])
})

test('a batch that fails for the sake of some items fails only those', async () => {
  const tried: string[] = []
  const add = batched<string, string>(async items => {
    tried.push(items.join(''))
    const bad = items.find(item => 'xy'.includes(item))
    if (bad) throw new Error(`${bad} is bad`)
    return items
  }, bounds)
  const answers = await Promise.allSettled([...'abcxdefyg'].map(add))
  expect(
    answers.map(answer => (answer.status === 'fulfilled' ? answer.value : answer.reason.message)),
  ).toEqual(['a', 'b', 'c', 'x is bad', 'd', 'e', 'f', 'y is bad', 'g'])
  expect(tried.length).toBeLessThan(14)
})

test('a batch that no waiting or halving would help fails whole, once, and the next one is tried', async () => {
  const { add, begun, endAll } = held()
  const answers = ['a', 'b'].map(item => add(item).catch(error => error))
  await settled()
  begun[0]!.fail(new DatabaseUnavailable('out of reach'))
  expect(await answers[0]).toBeInstanceOf(DatabaseUnavailable)
  expect(await answers[1]).toBeInstanceOf(DatabaseUnavailable)
  expect(begun).toHaveLength(1)
  const next = add('d')
  await endAll()
  expect(await next).toBe('stored d')
})
