import type { Command } from 'commander'
import { loadBoard } from '../../server/board/board.ts'
import { readDataConfig } from '../../server/config/read.ts'
import type { Narrowing } from '../../server/defects/narrowing.ts'
import { examples, wholeNumber } from '../program.ts'
import { run } from '../run.ts'
import { open } from '../terminal/database.ts'
import { entries, paragraph, tabbed } from '../terminal/entries.ts'
import { checkNarrowing, narrowingOption } from '../terminal/narrowing.ts'
import { json } from '../terminal/print.ts'

interface Options extends Narrowing {
  lines: number
}

export function feed(program: Command) {
  program
    .command('feed')
    .description('defects, newest first')
    .option('-n, --lines <count>', 'how many', wholeNumber(1, 100_000), 20)
    .addOption(narrowingOption('section'))
    .addOption(narrowingOption('since'))
    .option('--json', 'an array of the entries that GET /api/defects answers')
    .addHelpText('after', examples('faultline feed -n 5 --section power', 'faultline feed --since 7d --json'))
    .action((options: Options, command: Command) =>
      run(command, async io => {
        const config = readDataConfig(io.env)
        const board = loadBoard(config.boardFile)
        const db = await open(io, config)
        await checkNarrowing(db, board, options)
        const { lines: limit, ...narrowing } = options
        let shown = 0
        for await (const page of entries(db, { limit, ...narrowing })) {
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
