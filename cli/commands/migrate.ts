import type { Command } from 'commander'
import { readDataConfig } from '../../server/config/read.ts'
import { migrate as applyPending, pendingMigrations } from '../../server/db/migrate.ts'
import { examples } from '../program.ts'
import { run } from '../run.ts'
import { openAsItIs } from '../terminal/database.ts'
import { oneLine } from '../terminal/print.ts'

export function migrate(program: Command) {
  program
    .command('migrate')
    .description('bring the database to this version')
    .option('--dry-run', 'only show what is pending')
    .option('--json', 'the names of the migrations, as an array')
    .addHelpText('after', examples('faultline migrate --dry-run', 'faultline migrate --env-file .env'))
    .action((options: { dryRun?: boolean }, command: Command) =>
      run(command, async io => {
        const config = readDataConfig(io.env)
        const opened = await openAsItIs(io, config)
        const names = options.dryRun
          ? await pendingMigrations(opened.target)
          : await applyPending(opened.target)
        if (io.json) return io.print(JSON.stringify(names))
        for (const name of names) io.print(oneLine(name))
        if (!names.length) io.say('Nothing is pending.')
        else if (options.dryRun) io.say('Pending; `faultline migrate` applies them.')
        else io.say('Applied.')
      }),
    )
}
