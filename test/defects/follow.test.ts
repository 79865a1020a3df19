import { afterAll, beforeAll, expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import { connect, type Database } from '../../server/db/database.ts'
import { migrate } from '../../server/db/migrate.ts'
import { follow } from '../../server/defects/follow.ts'
import { findOrCreateProject } from '../../server/projects/service.ts'
import { fileDefects } from '../support/defects.ts'
import { freshDatabase } from '../support/postgres.ts'
import { until } from '../support/until.ts'

const WINDOW_MS = 50

let database: Awaited<ReturnType<typeof freshDatabase>>
let db: Database
let projectId: string
beforeAll(async () => {
  database = await freshDatabase()
  await migrate({ kind: 'postgres', url: database.url })
  db = connect({ kind: 'postgres', url: database.url })
  projectId = (await findOrCreateProject(db, 'Late')).project.id
})
afterAll(async () => {
  await db.close()
  await database.drop()
})

const file = (verbatim: string, sectionId = 'usb-port', to: Pick<Database, 'write'> = db) =>
  fileDefects(to, 1, { projectId, verbatim, sectionId })

test('one that took longer to commit than the window is long is given out late, and each one once', async () => {
  const follower = follow(db, {}, WINDOW_MS)
  expect(await follower.begin(5)).toEqual([])
  const given: string[] = []
  const more = async () => {
    for (const { verbatim } of await follower.more()) given.push(verbatim)
  }

  const commit = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<Date>()
  const late = db.transaction(async queries => {
    // In another section, whose counts nobody else waits for.
    await file('committed late', 'cpu', { write: run => run(queries, 1) })
    const [row] = await queries.execute<{ at: string }>(sql`select now() as at`)
    begun.resolve(new Date(row!.at))
    await commit.promise
  })
  const begunAt = await begun.promise
  await file('begun later, committed sooner')
  await more()
  const windowIsOver = sql`select clock_timestamp() > ${begunAt.toISOString()}::timestamptz + interval '200 milliseconds' as over`
  await until(async () => (await db.read(q => q.execute<{ over: boolean }>(windowIsOver)))[0]!.over)
  await more()
  expect(given).toEqual(['begun later, committed sooner'])

  commit.resolve()
  await late
  await more()
  await more()
  expect(given).toEqual(['begun later, committed sooner', 'committed late'])
})
