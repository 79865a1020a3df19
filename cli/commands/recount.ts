import { rebuildCounts } from '../../server/defects/recount.ts'
import type { Command } from '../command.ts'
import { audit } from '../terminal/audit.ts'
import { open } from '../terminal/database.ts'
import { json, table } from '../terminal/print.ts'

export function recount(program: Command) {
  program
    .command('recount')
    .description('builds the counters anew from the defects; reports wait meanwhile')
    .option('--json', 'an array of {"section_id","day","kept","counted"}, what differed; day null: in all')
    .examples('faultline recount')
    .runs(async io => {
      const differing = await rebuildCounts(await open(io))
      audit(io, 'counters_rebuilt', { differed: differing.length })
      if (io.json) return io.print(json(differing))
      if (!differing.length) return io.say('Every counter was right.')
      const rows = differing.map(({ section_id, day, kept, counted }) => [
        section_id,
        day ?? 'in all',
        `${kept} kept`,
        `${counted} counted`,
      ])
      io.print(...table(rows, [{}, {}, { align: 'right' }, { align: 'right', paint: io.paint.bold }], io))
    })
}
