import { expect, test } from 'bun:test'
import { createCoalesce } from '../server/coalesce.ts'

test('identical reads that arrive during a query share the next one, not the one that runs', async () => {
  const coalesce = createCoalesce<number>()
  const gates: (() => void)[] = []
  let started = 0
  const query = () => new Promise<number>(resolve => gates.push(() => resolve(++started)))

  const first = coalesce('feed', query)
  const late = [coalesce('feed', query), coalesce('feed', query), coalesce('feed', query)]
  expect(gates).toHaveLength(1)
  gates[0]!()
  expect(await first).toBe(1)
  await Bun.sleep(0)
  expect(gates).toHaveLength(2)
  gates[1]!()
  expect(await Promise.all(late)).toEqual([2, 2, 2])
})

test('different reads do not wait for each other', async () => {
  const coalesce = createCoalesce<string>()
  const never = coalesce('a', () => new Promise(() => {}))
  expect(await coalesce('b', async () => 'b')).toBe('b')
  expect(never).toBeInstanceOf(Promise)
})

test('a query that fails fails its own readers, and the next one starts afresh', async () => {
  const coalesce = createCoalesce<string>()
  const failing = coalesce('feed', async () => {
    throw new Error('out of reach')
  })
  const next = coalesce('feed', async () => 'fresh')
  expect(failing).rejects.toThrow('out of reach')
  expect(await next).toBe('fresh')
  expect(await coalesce('feed', async () => 'again')).toBe('again')
})
