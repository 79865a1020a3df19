import { statSync } from 'node:fs'
import { writeBackup } from '../../server/backup/backup.ts'
import type { Totals } from '../../server/backup/tables.ts'
import { inWords, notAFile } from '../../server/file-fault.ts'
import type { Command } from '../command.ts'
import { version } from '../program.ts'
import { open } from '../terminal/database.ts'
import { exit, Failure } from '../terminal/faults.ts'
import { json, quantity } from '../terminal/print.ts'
import { progress } from '../terminal/progress.ts'

export function backup(program: Command) {
  program
    .command('backup')
    .argument('<file>', 'where to; an existing file is replaced once the new one is complete')
    .description('everything into one file, also while the server runs')
    .option('--json', 'what was written, as JSON')
    .examples('faultline backup faultline-$(date +%F).ndjson.gz')
    .runs(async (io, file: string) => {
      refuse(file)
      const db = await open(io)
      const shown = progress('Backing up', io.watched)
      const written = writeBackup(db, file, { version, onRows: shown.at, signal: io.stopped })
      // An interrupted backup takes its unfinished file away before the database is closed.
      io.atEnd(() => written.catch(() => {}))
      const { rows, sha256 } = await written.finally(shown.end).catch(inWords(file, 'written'))
      const { size } = statSync(file)
      if (io.json) io.print(json({ file, bytes: size, rows, sha256 }))
      else io.say(`${file}: ${summary(rows)}, ${megabytes(size)}, read back and verified.`)
    })
}

function refuse(file: string) {
  if (file === '-') throw new Failure('a backup is read back after writing: name a file', exit.usage)
  const found = fileAt(file)
  if (found && !found.isFile()) throw notAFile(file, 'written')
}

function fileAt(file: string) {
  try {
    return statSync(file, { throwIfNoEntry: false })
  } catch (error) {
    return inWords(file, 'written')(error)
  }
}

export const summary = (rows: Totals) =>
  [
    quantity(rows.defects, 'defect'),
    quantity(rows.projects, 'project'),
    quantity(rows.devices, 'device'),
  ].join(', ')

const megabytes = (bytes: number) =>
  bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
