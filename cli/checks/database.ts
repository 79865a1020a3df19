import { sql } from 'drizzle-orm'
import type { Config, DataConfig } from '../../server/config/read.ts'
import { connect } from '../../server/db/database.ts'
import { DatabaseUnsuitable, pendingMigrations, SchemaTooNew } from '../../server/db/migrate.ts'
import { DataDirForeign, type Opened, refuseNetwork } from '../../server/db/open.ts'
import { fileFault } from '../../server/file-fault.ts'
import { deviceStatus } from '../../server/push/devices.ts'
import { isThere, openAsItIs } from '../terminal/database.ts'
import { explain } from '../terminal/explain.ts'
import type { Io } from '../terminal/io.ts'
import { quantity } from '../terminal/print.ts'
import { type Check, fault, NEEDS_SETTINGS, ok, skipped } from './check.ts'
import { checkPostgres, checkRights } from './postgres.ts'

/** Database and schema; returns the hosts of push services that the owner's devices are subscribed at. */
export async function* checkDatabase(
  io: Io,
  data: DataConfig | undefined,
  config: Config | undefined,
): AsyncGenerator<Check, string[]> {
  if (!data) {
    yield skipped('database', NEEDS_SETTINGS)
    return []
  }
  try {
    if (!data.databaseUrl) refuseNetwork(data.dataDir)
    if (!data.databaseUrl && !isThere(data.dataDir)) {
      yield ok('database', `an embedded one will be made in ${data.dataDir} at the first start`)
      return []
    }
    const opened = await openAsItIs(io, data)
    const db = connect(opened.target)
    io.atEnd(() => db.close())
    const pending = await pendingMigrations(opened.target).catch(error => {
      if (error instanceof SchemaTooNew || error instanceof DatabaseUnsuitable) return error
      throw error
    })
    if (pending instanceof DatabaseUnsuitable) {
      const rights = await checkRights(db, true).catch(() => [])
      yield* rights.length ? rights : [fault('database', pending.said, pending.fix)]
      return []
    }
    const [facts] = await db.read(queries =>
      queries.execute<{ version: string }>(sql`select current_setting('server_version') as version`),
    )
    yield ok('database', `${kindOf(opened)} ${facts?.version}, UTF-8`)
    if ((await db.health()) === 'read_only') {
      const mend =
        'name the server that takes writes in DATABASE_URL, or let it take them again (default_transaction_read_only)'
      yield fault('database', 'it only reads: no report can be stored', mend)
    }
    if (opened.target.kind === 'postgres') {
      yield* await checkPostgres(db, opened.target, !(pending instanceof SchemaTooNew) && pending.length > 0)
    }
    yield schema(pending)
    if (!config || pending instanceof SchemaTooNew || pending.length) return []
    return (await deviceStatus(db, config)).map(({ device }) => device.replace(/\/.*/, ''))
  } catch (error) {
    const known = error instanceof DataDirForeign ? error : fileFault(error)
    if (known) {
      yield fault('database', known.said, known.fix)
      return []
    }
    const mend = data.databaseUrl
      ? 'start PostgreSQL, or correct DATABASE_URL; this machine and user must be let in'
      : `look at ${data.dataDir}: it must be writable, and its file system not full`
    yield fault('database', explain(error).messages.join(' '), mend)
    return []
  }
}

function kindOf({ target, here }: Opened): string {
  if (target.kind === 'postgres') return 'PostgreSQL'
  return here ? 'embedded' : "the running server's embedded"
}

function schema(pending: string[] | SchemaTooNew): Check {
  if (pending instanceof SchemaTooNew) {
    return fault('schema', 'newer than this program', 'use the version that made it, or a later one')
  }
  if (!pending.length) return ok('schema', 'that of this version')
  const count = quantity(pending.length, 'migration')
  return ok('schema', `${count} pending; \`faultline serve\` and \`faultline migrate\` apply them`)
}
