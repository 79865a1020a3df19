import { migrate as applyPending, pendingMigrations } from '../../server/db/migrate.ts'
import type { Command } from '../command.ts'
import { openAsItIs } from '../terminal/database.ts'
import { oneLine } from '../terminal/print.ts'

export function migrate(program: Command) {
  program
    .command('migrate')
    .description('bring the database to this version')
    .option('--dry-run', 'only show what is pending')
    .option('--json', 'the names of the migrations, as an array')
    .examples('faultline migrate --dry-run', 'faultline migrate --env-file .env')
    .runs(async (io, options: { dryRun?: boolean }) => {
      const { target } = await openAsItIs(io)
      const names = await (options.dryRun ? pendingMigrations(target) : applyPending(target))
      if (io.json) return io.print(JSON.stringify(names))
      io.print(...names.map(oneLine))
      if (!names.length) io.say('Nothing is pending.')
      else if (options.dryRun) io.say('Pending; `faultline migrate` applies them.')
      else io.say('Applied.')
    })
}
