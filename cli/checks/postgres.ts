import type { Target } from '../../server/db/client.ts'
import type { Database } from '../../server/db/database.ts'
import { whatStandsBetween } from '../../server/db/pooler.ts'
import { lossySettings, missingRights } from '../../server/db/suitability.ts'
import { type Check, fault, ok, warning } from './check.ts'

/** What can be wrong with a PostgreSQL that answers and has the right version and encoding. */
export async function checkPostgres(
  db: Database,
  target: Target & { kind: 'postgres' },
  migrating: boolean,
): Promise<Check[]> {
  const lossy = await db.read(lossySettings)
  return [
    ...(await checkPooler(target)),
    ...lossy.map(({ said, mend }) => warning('database', said, mend)),
    ...(await checkRights(db, migrating)),
  ]
}

export async function checkRights(db: Database, migrating: boolean): Promise<Check[]> {
  const missing = await db.read(queries => missingRights(queries, migrating))
  return missing.map(({ said, mend }) => fault('database', said, mend))
}

async function checkPooler({ url, pooled }: Target & { kind: 'postgres' }): Promise<Check[]> {
  const between = await whatStandsBetween(url)
  if (between === 'a pooler of statements') {
    const said = 'the pooler gives a connection away with each statement, where transactions are needed'
    return [fault('database', said, 'set pool_mode = transaction in the pooler')]
  }
  if (between === 'a pooler' && !pooled) {
    const said = 'a pooler stands in front of PostgreSQL, and keeps our settings to itself'
    return [fault('database', said, 'set DATABASE_POOLER=transaction')]
  }
  if (between === 'nothing' && pooled) {
    const said = 'no pooler stands in front of PostgreSQL'
    return [warning('database', said, 'leave DATABASE_POOLER out: without it statements are planned once')]
  }
  return pooled ? [ok('database', 'a pooler stands in front of it, as DATABASE_POOLER says')] : []
}
