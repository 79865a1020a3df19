import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '../../server/db/database.ts'
import { migrate } from '../../server/db/migrate.ts'
import { maintain } from '../../server/db/upkeep.ts'
import { feedParameters, feedQuery } from '../../server/defects/feed.ts'
import { openEmbedded } from '../../server/embedded/postgres.ts'
import { silentLog } from '../../server/log.ts'
import { seed } from '../bench/seed.ts'
import { plansOf } from '../support/plan.ts'

test('upkeep gives the embedded database the statistics that a section’s feed needs', async () => {
  const home = mkdtempSync(join(tmpdir(), 'faultline-upkeep-'))
  const embedded = await openEmbedded(join(home, 'data'), silentLog)
  const target = { kind: 'embedded', socketPath: embedded.socketPath } as const
  await migrate(target)
  const db = connect(target)
  // In one go, which takes longer than a statement of the server may.
  await seed(
    { ...db, write: run => db.transaction(queries => run(queries, 1), { deadlineMs: 60_000 }) },
    3_000,
  )

  const plan = async () => {
    const request = { limit: 50, section: 'cpu' }
    const [nodes] = await db.read(queries =>
      plansOf(queries, feedQuery(queries, request), feedParameters(request)),
    )
    return nodes!.map(node => node['Index Name'] ?? node['Node Type'])
  }
  expect(await plan()).toContain('Sort')
  await maintain(db)
  expect(await plan()).not.toContain('Sort')
  expect(await plan()).toContain('defects_section_feed')
  await db.close()
  await embedded.close()
  rmSync(home, { recursive: true })
})
