import { heapStats } from 'bun:jsc'
import { expect, test } from 'bun:test'
import { PGlite } from '@electric-sql/pglite'
import { exchange } from '../server/db/exchange.ts'

const objects = () => {
  Bun.gc(true)
  return heapStats().objectCount
}

function query(text: string): Uint8Array {
  const message = Buffer.alloc(text.length + 6)
  message.write('Q')
  message.writeInt32BE(text.length + 5, 1)
  message.write(text, 5)
  return message
}

test('a reply is handed over whole and nothing of it is kept', async () => {
  const database = await PGlite.create()
  const fail = (error: unknown) => {
    throw error
  }
  const rows = () => exchange(database, query('select n from generate_series(1, 5000) as n'), fail)
  expect(Buffer.from(rows()).toString('latin1')).toContain('SELECT 5000')
  const before = objects()
  for (let i = 0; i < 20; i++) rows()
  await Bun.sleep(1)
  expect(objects() - before).toBeLessThan(5_000)
  await database.close()
}, 60_000)
