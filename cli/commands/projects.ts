import { projectsWithCounts } from '../../server/projects/service.ts'
import type { Command } from '../command.ts'
import { open } from '../terminal/database.ts'
import { json, table } from '../terminal/print.ts'

export function projects(program: Command) {
  program
    .command('projects')
    .description('the shared list of projects, with their defects counted')
    .option('--json', 'an array of {"id","name","defects"}')
    .examples('faultline projects')
    .runs(async io => {
      const listed = await projectsWithCounts(await open(io))
      if (io.json) return io.print(json(listed))
      if (!listed.length) return io.say('No projects yet.')
      const rows = listed.map(({ name, defects }) => [String(defects), name])
      io.print(...table(rows, [{ align: 'right', paint: io.paint.bold }, {}], io))
    })
}
