import { expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import { readDataConfig } from '../../server/config/read.ts'
import { connect } from '../../server/db/database.ts'
import { openTarget } from '../../server/db/open.ts'
import { silentLog } from '../../server/log.ts'
import { freshDatabase } from '../support/postgres.ts'

test('an instance keeps as many connections as DATABASE_POOL says', async () => {
  const database = await freshDatabase()
  const config = readDataConfig({ DATABASE_URL: database.url, DATABASE_POOL: '3' })
  const { target } = await openTarget(config, silentLog)
  const db = connect(target)
  try {
    const used = new Set<number>()
    const all = Promise.withResolvers<void>()
    const work = () =>
      db.transaction(async q => {
        const [row] = await q.execute<{ pid: number }>(sql`select pg_backend_pid() as pid`)
        if (used.add(row!.pid).size >= 3) all.resolve()
        await all.promise
      })
    await Promise.all(Array.from({ length: 9 }, work))
    expect(used.size).toBe(3)
  } finally {
    await db.close()
    await database.drop()
  }
})
