import type { Command } from 'commander'
import { loadBoard } from '../../server/board/board.ts'
import { type Config, DEFAULT_DATA_DIR, readConfig } from '../../server/config/read.ts'
import { freePort } from '../../server/demo/free-port.ts'
import { type DemoKeys, demoKeys } from '../../server/demo/keys.ts'
import { startDemoProvider } from '../../server/demo/provider.ts'
import { fileSamples } from '../../server/demo/samples.ts'
import { announceDemo, concludeDemo, demoSettings } from '../../server/demo/settings.ts'
import { createLog } from '../../server/log.ts'
import { examples, wholeNumber } from '../program.ts'
import { type Io, open, run } from '../run.ts'
import { Failure } from '../terminal/faults.ts'
import { progress } from '../terminal/progress.ts'
import { healthUrl } from './healthcheck.ts'
import { busyPort } from './serve.ts'

const DOMAIN = 'example.com'
const OWNER = `owner@${DOMAIN}`
const COLLEAGUE = `colleague@${DOMAIN}`
const READY_EVERY_MS = 50

export function demo(program: Command) {
  program
    .command('demo')
    .description('everything at once on this machine alone, with sample defects; nothing to configure')
    .option('-p, --port <port>', 'the port, or the next free one', wholeNumber(1, 65_535))
    .addHelpText('after', examples('faultline demo'))
    .action((options: { port?: number }, command: Command) =>
      run(command, io => runDemo(io, options.port), { ownSignals: true, besideDemo: false }),
    )
}

async function runDemo(io: Io, wanted?: number) {
  const dataDir = io.env.DATA_DIR || DEFAULT_DATA_DIR
  const { PUBLIC_URL: running } = demoSettings(dataDir)
  if (running) throw new Failure(`a demo is running on this directory already, at ${running}`)
  const keys = demoKeys(dataDir)
  const port = await freePort(wanted ?? (Number(io.env.PORT) || 3000))
  const publicUrl = `http://localhost:${port}`
  const provider = await startDemoProvider({
    allowedDomain: DOMAIN,
    clientId: 'faultline-demo',
    clientSecret: keys.clientSecret,
    redirectUri: `${publicUrl}/auth/demo/callback`,
  })
  io.atEnd(() => provider.stop())
  const settings = demoEnvironment(io, dataDir, publicUrl, provider.issuer, keys)
  const config = readConfig(settings)
  const { serveUntilStopped } = await import('../../server/serve.ts')
  const serving = serveUntilStopped(config, createLog(config.log)).catch(busyPort(port))
  await Promise.race([serving, ready(io, config)])
  announceDemo(dataDir, settings)
  io.atEnd(() => concludeDemo(dataDir))
  await Promise.race([serving, welcome(io, config)])
  return serving
}

function demoEnvironment(io: Io, dataDir: string, publicUrl: string, issuer: string, keys: DemoKeys) {
  const passed = ['LOG_LEVEL', 'LOG_FORMAT', 'BOARD_FILE', 'PUSH_HOSTS']
  return {
    ...Object.fromEntries(passed.flatMap(name => (io.env[name] ? [[name, io.env[name]]] : []))),
    LOG_LEVEL: io.env.LOG_LEVEL || 'warn',
    DATA_DIR: dataDir,
    PUBLIC_URL: publicUrl,
    HOST: '127.0.0.1',
    PORT: new URL(publicUrl).port,
    ALLOWED_DOMAIN: DOMAIN,
    OWNER_EMAIL: OWNER,
    SESSION_PASSWORD: keys.sessionPassword,
    OAUTH_PROVIDER: 'demo',
    OAUTH_ISSUER: issuer,
    OAUTH_CLIENT_ID: 'faultline-demo',
    OAUTH_CLIENT_SECRET: keys.clientSecret,
    VAPID_PUBLIC_KEY: keys.vapid.publicKey,
    SIGNING_SECRET: keys.vapid.privateKey,
  } as Record<string, string>
}

async function ready(io: Io, config: Config) {
  const url = healthUrl({ HOST: config.host, PORT: String(config.port) }, true)
  while (!io.stopped.aborted) {
    const response = await fetch(url).catch(() => undefined)
    if (response?.status === 200) return
    await Bun.sleep(READY_EVERY_MS)
  }
}

async function welcome(io: Io, config: Config) {
  const board = loadBoard(config.boardFile)
  const db = await open(io, config, { joinOnly: true })
  const shown = progress('Filing sample defects', process.stderr.isTTY)
  await fileSamples(db, board, [COLLEAGUE, OWNER], shown.at).finally(shown.end)
  await db.close()
  const { bold, dim } = io.paint
  for (const line of [
    '',
    `  Faultline is at  ${bold(config.publicUrl)}`,
    '',
    `  Sign in as       ${OWNER}  ${dim('who also gets push messages')}`,
    `                   ${COLLEAGUE}  ${dim('who files and reads')}`,
    `                   an outsider  ${dim('who is turned away')}`,
    `  In a terminal    faultline counts ${dim('·')} faultline tail -f ${dim('(in this directory)')}`,
    '',
    dim(
      `  A demo, for this machine only: it signs in whoever asks. Data: ${config.dataDir}. Ctrl-C stops it.`,
    ),
    '',
  ]) {
    io.print(line)
  }
}
