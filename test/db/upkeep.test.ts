import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { connect } from '../../server/db/database.ts'
import { migrate } from '../../server/db/migrate.ts'
import { maintain } from '../../server/db/upkeep.ts'
import { feedQuery } from '../../server/defects/feed.ts'
import { openEmbedded } from '../../server/embedded/postgres.ts'
import { silentLog } from '../../server/log.ts'
import { seed } from '../bench/seed.ts'

test('upkeep gives the embedded database the statistics that a section’s feed needs', async () => {
  const home = mkdtempSync(join(tmpdir(), 'faultline-upkeep-'))
  const embedded = await openEmbedded(join(home, 'data'), silentLog)
  const target = { kind: 'embedded', socketPath: embedded.socketPath } as const
  await migrate(target)
  const db = connect(target)
  // In one go, which takes longer than a statement of the server may.
  await seed({ ...db, write: run => db.transaction(run, { deadlineMs: 60_000 }) }, 10_000)

  async function plan() {
    const { text } = await db.read(async queries => ({
      text: feedQuery(queries, { limit: 50, section: 'cpu' }).getQuery().sql,
    }))
    const lines = await db.read(queries =>
      queries.execute<{ 'QUERY PLAN': string }>(sql.raw(`explain ${text.replace('$1', "'cpu'")}`)),
    )
    return lines.map(line => line['QUERY PLAN']).join('\n')
  }

  expect(await plan()).toContain('Sort')
  await maintain(db)
  expect(await plan()).not.toContain('Sort')
  expect(await plan()).toContain('defects_section_feed')
  await db.close()
  await embedded.close()
  rmSync(home, { recursive: true })
}, 30_000)
