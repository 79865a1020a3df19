import { BrokenBackup, type Summary } from '../../server/backup/format.ts'
import { restoreBackup, verifyBackup } from '../../server/backup/restore.ts'
import { total } from '../../server/backup/tables.ts'
import { connect } from '../../server/db/database.ts'
import { migrate } from '../../server/db/migrate.ts'
import type { Opened } from '../../server/db/open.ts'
import { inWords } from '../../server/file-fault.ts'
import type { Command } from '../command.ts'
import { audit } from '../terminal/audit.ts'
import { openAsItIs } from '../terminal/database.ts'
import { Failure } from '../terminal/faults.ts'
import { json } from '../terminal/print.ts'
import { progress } from '../terminal/progress.ts'
import { summary } from './backup.ts'

/** More would hold up a server that shares the embedded database for longer than its deadline. */
const MOST_BESIDE_A_SERVER = 5_000

export function restore(program: Command) {
  program
    .command('restore')
    .argument('<file>', 'written by `faultline backup`')
    .description('a backup into an empty database; all of it or nothing')
    .option('--json', 'what was restored, as JSON')
    .examples('faultline restore faultline-2026-11-21.ndjson.gz')
    .runs(async (io, file: string) => {
      const checked = progress('Checking ', io.watched)
      const verified = await verifyBackup(file, checked.at, io.stopped)
        .catch(unusable(file))
        .finally(checked.end)
      const opened = await openAsItIs(io)
      notBesideServer(opened, verified)
      await migrate(opened.target)
      const db = connect(opened.target)
      io.atEnd(() => db.close())
      const shown = progress('Restoring', io.watched)
      await restoreBackup(db, file, verified, shown.at).finally(shown.end)
      const { header, rows } = verified
      audit(io, 'restored', { file, backup_of: header.created_at, defects: rows.defects })
      if (io.json) io.print(json({ file, created_at: header.created_at, rows }))
      else io.say(`Restored ${summary(rows)}, as of ${header.created_at}. Everybody signs in again.`)
    })
}

const unusable =
  (file: string) =>
  (error: unknown): never => {
    if (error instanceof BrokenBackup) {
      throw new Failure(`${file} is not a complete backup: ${error.message}. Nothing was touched.`)
    }
    return inWords(file, 'read')(error)
  }

function notBesideServer({ target, here }: Opened, { rows }: Summary) {
  if (target.kind === 'postgres' || here || total(rows) <= MOST_BESIDE_A_SERVER) return
  throw new Failure('a restore of this size would hold up the running server: stop it first')
}
