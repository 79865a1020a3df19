import type { Command } from 'commander'
import { loadBoard } from '../../server/board/board.ts'
import { readDataConfig } from '../../server/config/read.ts'
import { days, examples, wholeNumber } from '../program.ts'
import { run } from '../run.ts'
import { open } from '../terminal/database.ts'
import { entries, knownSection, paragraph, tabbed } from '../terminal/entries.ts'
import { json } from '../terminal/print.ts'

interface Options {
  lines: number
  section?: string
  since?: number
}

export function feed(program: Command) {
  program
    .command('feed')
    .description('defects, newest first')
    .option('-n, --lines <count>', 'how many', wholeNumber(1, 100_000), 20)
    .option('--section <id>', 'only this section')
    .option('--since <days>', 'only today and the days before, such as 7d (days begin at 0:00 UTC)', days)
    .option('--json', 'an array of the entries that GET /api/defects answers')
    .addHelpText('after', examples('faultline feed -n 5 --section power', 'faultline feed --since 7d --json'))
    .action((options: Options, command: Command) =>
      run(command, async io => {
        const config = readDataConfig(io.env)
        const board = loadBoard(config.boardFile)
        const db = await open(io, config)
        await knownSection(db, board, options.section)
        const { lines: limit, section, since: sinceDays } = options
        let shown = 0
        for await (const page of entries(db, { limit, section, sinceDays })) {
          for (const entry of page) {
            if (io.json) io.print(`${shown ? ',' : '['}${json(entry)}`)
            else if (io.interactive) for (const line of paragraph(entry, board, io)) io.print(line)
            else io.print(tabbed(entry))
            shown++
          }
        }
        if (io.json) io.print(shown ? ']' : '[]')
        else if (!shown) io.say('No defects here yet.')
      }),
    )
}
