import { connect, type Database } from '../../server/db/database.ts'
import { pushSubscriptions } from '../../server/db/schema.ts'
import { freshDatabase } from './postgres.ts'

/** A migrated database for the parts of push, without a server around it. */
export async function pushDatabase() {
  const { url, drop } = await freshDatabase({ migrated: true })
  const target = { kind: 'postgres', url } as const
  const db = connect(target)
  return {
    db,
    second: () => connect(target),
    devices: () => rows(db),
    clear: () => db.write(async queries => void (await queries.delete(pushSubscriptions))),
    async close() {
      await db.close()
      await drop()
    },
  }
}

const rows = (db: Database) =>
  db.read(queries => queries.select().from(pushSubscriptions).orderBy(pushSubscriptions.createdAt))
