import type { Command } from 'commander'
import { readDataConfig } from '../../server/config/read.ts'
import { projectsWithCounts } from '../../server/projects/service.ts'
import { examples } from '../program.ts'
import { run } from '../run.ts'
import { open } from '../terminal/database.ts'
import { columns, json, oneLine } from '../terminal/print.ts'

export function projects(program: Command) {
  program
    .command('projects')
    .description('the shared list of projects, with their defects counted')
    .option('--json', 'an array of {"id","name","defects"}')
    .addHelpText('after', examples('faultline projects'))
    .action((_options, command: Command) =>
      run(command, async io => {
        const listed = await projectsWithCounts(await open(io, readDataConfig(io.env)))
        if (io.json) return io.print(json(listed))
        if (!listed.length) return io.say('No projects yet.')
        if (!io.interactive) {
          for (const { name, defects } of listed) io.print(`${defects}\t${oneLine(name)}`)
          return
        }
        const rows = listed.map(({ name, defects }) => [String(defects), name])
        for (const line of columns(rows, [{ align: 'right', paint: io.paint.bold }, {}], io.screen))
          io.print(line)
      }),
    )
}
