import { setTimeout } from 'node:timers/promises'
import { type Board, loadBoard } from '../../server/board/board.ts'
import { type DataConfig, readDataConfig } from '../../server/config/read.ts'
import type { Database } from '../../server/db/database.ts'
import { SchemaTooOld } from '../../server/db/migrate.ts'
import type { FeedEntry } from '../../server/defects/entry.ts'
import { readFeed } from '../../server/defects/feed.ts'
import { type Follower, follow } from '../../server/defects/follow.ts'
import { DatabaseUnavailable } from '../../server/errors.ts'
import { type Command, wholeNumber } from '../command.ts'
import { open } from '../terminal/database.ts'
import { brief, tabbed } from '../terminal/entries.ts'
import type { Io } from '../terminal/io.ts'
import { checkNarrowing, narrowingOf, narrowingOption } from '../terminal/narrowing.ts'
import { json } from '../terminal/print.ts'

interface Options extends Record<string, unknown> {
  lines: number
  follow?: boolean
}

const ASK_EVERY_MS = 1_000

export function tail(program: Command) {
  program
    .command('tail')
    .description('the latest defects, oldest of them first')
    .option('-n, --lines <count>', 'how many', wholeNumber(0, 10_000), 10)
    .option('-f, --follow', 'go on with each new one until interrupted; joins a running server')
    .addOption(narrowingOption('section'))
    .addOption(narrowingOption('project'))
    .addOption(narrowingOption('since'))
    .option('--json', 'one entry of the API a line')
    .examples('faultline tail -f', 'faultline tail -n 0 -f --json | jq .verbatim')
    .runs(async (io, options: Options) => {
      const config = readDataConfig(io.env)
      const board = loadBoard(config.boardFile)
      const show = (entries: FeedEntry[]) => {
        for (const entry of entries) io.print(io.json ? json(entry) : text(entry, board, io))
      }
      if (options.follow) return watch(io, config, board, options, show)
      const db = await open(io, config)
      const narrowing = narrowingOf(options)
      await checkNarrowing(db, board, narrowing)
      if (!options.lines) return
      const { entries } = await readFeed(db, { ...narrowing, limit: options.lines })
      show(entries.toReversed())
      if (!entries.length && !io.json) io.say('No defects here yet.')
    })
}

const text = (entry: FeedEntry, board: Board, io: Io) =>
  io.interactive ? brief(entry, board, io) : tabbed(entry)

/** Asks every second; says once that the database has gone, and once that it is back. */
async function watch(
  io: Io,
  config: DataConfig,
  board: Board,
  options: Options,
  show: (entries: FeedEntry[]) => void,
) {
  let db: Database | undefined
  let follower: Follower | undefined
  let away = false
  while (!io.stopped.aborted) {
    try {
      db ??= await open(io, config, { joinOnly: true })
      if (follower) show(await follower.more())
      else {
        const narrowing = narrowingOf(options)
        await checkNarrowing(db, board, narrowing)
        const begun = follow(db, narrowing)
        show(await begun.begin(options.lines))
        follower = begun
      }
      if (away) io.say('The database is back.')
      away = false
    } catch (error) {
      // A server that comes up has its database migrated in a moment.
      const migrating = away && error instanceof SchemaTooOld
      if (!(error instanceof DatabaseUnavailable) && !migrating) throw error
      if (!away) io.say(`The database is out of reach (${error.message}); waiting for it.`)
      away = true
    }
    await setTimeout(ASK_EVERY_MS, undefined, { signal: io.stopped }).catch(() => {})
  }
}
