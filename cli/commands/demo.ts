import { loadBoard } from '../../server/board/board.ts'
import {
  publishedSettings,
  publishSettings,
  withdrawSettings,
} from '../../server/config/published-settings.ts'
import type { Config } from '../../server/config/read.ts'
import { settings } from '../../server/config/settings.ts'
import { demoColleague, demoOwner, fileDemoSamples, prepareDemo } from '../../server/demo/demo.ts'
import { freePort } from '../../server/demo/free-port.ts'
import { type Command, wholeNumber } from '../command.ts'
import { open } from '../terminal/database.ts'
import { Failure } from '../terminal/faults.ts'
import type { Io } from '../terminal/io.ts'
import { progress } from '../terminal/progress.ts'
import { listenFault } from './serve.ts'

const READY_EVERY_MS = 50

export function demo(program: Command) {
  program
    .command('demo')
    .description('everything at once on this machine alone, with sample defects; nothing to configure')
    .option('-p, --port <port>', 'the port, or the next free one', wholeNumber(1, 65_535))
    .examples('faultline demo')
    .runs((io, options: { port?: number }) => runDemo(io, options.port), {
      ownSignals: true,
      besideDemo: false,
    })
}

async function runDemo(io: Io, wanted?: number) {
  const dataDir = io.env.DATA_DIR || settings.DATA_DIR.default
  const { PUBLIC_URL: running } = publishedSettings(dataDir)
  if (running) throw new Failure(`a demo is running on this directory already, at ${running}`)
  const port = await freePort(wanted ?? (Number(io.env.PORT) || Number(settings.PORT.default)))
  const { config, environment, stop } = await prepareDemo(io.env, dataDir, port)
  io.atEnd(stop)
  const { serveUntilStopped } = await import('../../server/serve.ts')
  const serving = serveUntilStopped(config, io.log(config.log)).catch(listenFault(config))
  await Promise.race([serving, ready(io, config)])
  publishSettings(dataDir, environment)
  io.atEnd(() => withdrawSettings(dataDir))
  await Promise.race([serving, welcome(io, config)])
  return serving
}

async function ready(io: Io, config: Config) {
  const url = `http://${config.host}:${config.port}/api/health`
  while (!io.stopped.aborted) {
    const response = await fetch(url).catch(() => undefined)
    if (response?.status === 200) return
    await Bun.sleep(READY_EVERY_MS)
  }
}

async function welcome(io: Io, config: Config) {
  const board = loadBoard(config.boardFile)
  const db = await open(io, config, { joinOnly: true })
  const shown = progress('Filing sample defects', io.watched)
  await fileDemoSamples(db, board, shown.at).finally(shown.end)
  await db.close()
  const { bold, dim } = io.paint
  io.print(
    '',
    `  Faultline is at  ${bold(config.publicUrl)}`,
    '',
    `  Sign in as       ${demoOwner}  ${dim('who also gets push messages')}`,
    `                   ${demoColleague}  ${dim('who files and reads')}`,
    `                   an outsider  ${dim('who is turned away')}`,
    `  In a terminal    faultline counts ${dim('·')} faultline tail -f ${dim('(in this directory)')}`,
    '',
    dim(
      `  A demo, for this machine only: it signs in whoever asks. Data: ${config.dataDir}. Ctrl-C stops it.`,
    ),
    '',
  )
}
