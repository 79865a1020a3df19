import { expect, test } from 'bun:test'
import { coalesced } from '../server/coalesce.ts'
import { until } from './support/until.ts'

const feed = { of: 'feed' }

test('identical reads that arrive during a query share the next one, not the one that runs', async () => {
  const gates: (() => void)[] = []
  let started = 0
  const read = coalesced(() => new Promise<number>(resolve => gates.push(() => resolve(++started))))

  const first = read({ ...feed })
  const late = [read({ ...feed }), read({ ...feed }), read({ ...feed })]
  expect(gates).toHaveLength(1)
  gates[0]!()
  expect(await first).toBe(1)
  await until(() => gates.length === 2)
  gates[1]!()
  expect(await Promise.all(late)).toEqual([2, 2, 2])
})

test('different reads do not wait for each other', async () => {
  const read = coalesced(async ({ of }: { of: string }) => (of === 'a' ? new Promise<string>(() => {}) : of))
  const never = read({ of: 'a' })
  expect(await read({ of: 'b' })).toBe('b')
  expect(never).toBeInstanceOf(Promise)
})

test('reads that differ in anything they are given share nothing', async () => {
  const reads: object[] = []
  const read = coalesced(async (request: object) => void reads.push(request))
  const requests = [
    {},
    { a: '1' },
    { b: '1' },
    { a: '1', b: '1' },
    { a: 1 },
    { a: '1,"b":"1"' },
    { a: new Date(0) },
  ]
  await Promise.all(requests.map(read))
  expect(reads).toEqual(requests)
})

test('a query that fails fails its own readers, and the next one starts afresh', async () => {
  const answers = [
    Promise.reject(new Error('out of reach')),
    Promise.resolve('fresh'),
    Promise.resolve('again'),
  ]
  const read = coalesced(() => answers.shift()!)
  const failing = read(feed)
  const next = read(feed)
  expect(failing).rejects.toThrow('out of reach')
  expect(await next).toBe('fresh')
  expect(await read(feed)).toBe('again')
})
