import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Option } from 'commander'
import { exported, type FormatName, formatNames } from '../../server/defects/export.ts'
import { inWords } from '../../server/file-fault.ts'
import type { Command } from '../command.ts'
import { openWithBoard } from '../terminal/database.ts'
import { checkNarrowing, narrowingOf, narrowingOption } from '../terminal/narrowing.ts'

export function exportDefects(program: Command) {
  program
    .command('export')
    .argument(
      '[file]',
      'where to, `-` for standard output; an existing file is replaced once the new one is complete',
      '-',
    )
    .description('defects as a table or as JSON lines, newest first')
    .addOption(new Option('--format <name>', 'what for').choices(formatNames).makeOptionMandatory())
    .addOption(narrowingOption('section'))
    .addOption(narrowingOption('project'))
    .addOption(narrowingOption('since'))
    .addOption(narrowingOption('q'))
    .examples(
      'faultline export weak-points.csv --format csv --since 30d',
      'faultline export --format ndjson | jq .verbatim',
    )
    .runs(async (io, file: string, options: { format: FormatName } & Record<string, unknown>) => {
      const { db, board } = await openWithBoard(io)
      const narrowing = narrowingOf(options)
      await checkNarrowing(db, board, narrowing)
      const text = exported(db, options.format, narrowing)
      if (file === '-') return copy(text, process.stdout, io.stopped)
      const written = writeWhole(text, file, io.stopped)
      // What was interrupted is taken away before the database is closed.
      io.atEnd(() => written.catch(() => {}))
      await written.catch(inWords(file, 'written'))
      io.say(`${file} is written.`)
    })
}

/** Under its name only when it is whole. */
async function writeWhole(text: AsyncIterable<string>, file: string, signal: AbortSignal): Promise<void> {
  const partial = `${file}.${process.pid}.partial`
  try {
    await copy(text, createWriteStream(partial, { flags: 'wx', mode: 0o600 }), signal)
    await rename(partial, file)
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
}

const copy = (text: AsyncIterable<string>, to: Writable, signal: AbortSignal) =>
  pipeline(Readable.from(text), to, { signal, end: to !== process.stdout })
