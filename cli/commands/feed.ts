import { feedPages } from '../../server/defects/feed.ts'
import { type Command, wholeNumber } from '../command.ts'
import { openWithBoard } from '../terminal/database.ts'
import { paragraph, tabbed } from '../terminal/entries.ts'
import { checkNarrowing, narrowingOf, narrowingOption } from '../terminal/narrowing.ts'
import { json } from '../terminal/print.ts'

interface Options extends Record<string, unknown> {
  lines: number
}

export function feed(program: Command) {
  program
    .command('feed')
    .description('defects, newest first')
    .option('-n, --lines <count>', 'how many', wholeNumber(1, 100_000), 20)
    .addOption(narrowingOption('section'))
    .addOption(narrowingOption('project'))
    .addOption(narrowingOption('since'))
    .addOption(narrowingOption('q'))
    .option('--json', 'an array of the entries that GET /api/defects answers')
    .examples('faultline feed -n 5 --section power', 'faultline feed --since 7d --search "usb loose" --json')
    .runs(async (io, options: Options) => {
      const { db, board } = await openWithBoard(io)
      const { lines: limit } = options
      const narrowing = narrowingOf(options)
      await checkNarrowing(db, board, narrowing)
      let shown = 0
      for await (const page of feedPages(db, narrowing, limit)) {
        for (const entry of page) {
          if (io.json) io.print(`${shown ? ',' : '['}${json(entry)}`)
          else if (io.interactive) io.print(...paragraph(entry, board, io))
          else io.print(tabbed(entry))
          shown++
        }
      }
      if (io.json) io.print(shown ? ']' : '[]')
      else if (!shown) io.say('No defects here yet.')
    })
}
