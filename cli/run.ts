import type { Command } from 'commander'
import { environment } from '../server/config/env-file.ts'
import type { Env } from '../server/config/settings.ts'
import { createLog } from '../server/log.ts'
import { explain } from './terminal/explain.ts'
import { exit } from './terminal/faults.ts'
import type { Io } from './terminal/io.ts'
import { oneLine, paints } from './terminal/print.ts'

interface GlobalOptions {
  envFile?: string
  json?: boolean
  color?: boolean
}

export interface RunOptions {
  /** the command answers SIGINT and SIGTERM itself */
  ownSignals?: boolean
  /** take what is missing from a demo that runs on the same directory */
  besideDemo?: boolean
}

const CLEANUP_MS = 3_000

/** Runs one command to its exit status. Ctrl-C and a closed pipe end it in order too. */
export async function run(
  command: Command,
  work: (io: Io) => Promise<unknown>,
  { ownSignals = false, besideDemo = true }: RunOptions = {},
): Promise<never> {
  const cleanups: (() => unknown)[] = []
  const stop = new AbortController()
  const interrupted = new Promise<number>(resolve => {
    const end = (code: number) => () => {
      stop.abort()
      resolve(code)
    }
    if (!ownSignals) {
      process.once('SIGINT', end(exit.interrupted))
      process.once('SIGTERM', end(exit.terminated))
    }
    process.stdout.on('error', end(exit.ok))
    process.stderr.on('error', () => {})
  })
  let code: unknown
  let debug = false
  try {
    const options = command.optsWithGlobals<GlobalOptions>()
    const env = environment(options.envFile, besideDemo)
    const io = createIo(options, env, stop.signal, cleanup => cleanups.push(cleanup))
    debug = io.env.LOG_LEVEL === 'debug'
    code = await Promise.race([work(io), interrupted])
  } catch (error) {
    const { messages, exitCode } = explain(error, debug)
    for (const message of messages) say(`faultline: ${message}`)
    code = exitCode
  }
  for (const cleanup of cleanups.reverse()) {
    await Promise.race([Promise.resolve().then(cleanup), Bun.sleep(CLEANUP_MS)]).catch(() => {})
  }
  await flushed()
  process.exit(typeof code === 'number' ? code : exit.ok)
}

function createIo(options: GlobalOptions, env: Env, stopped: AbortSignal, atEnd: Io['atEnd']): Io {
  const interactive = process.stdout.isTTY === true
  const watched = process.stderr.isTTY === true && process.env.TERM !== 'dumb'
  const plain = options.color === false || Boolean(process.env.NO_COLOR) || process.env.TERM === 'dumb'
  return {
    env,
    json: options.json === true,
    interactive,
    screen: interactive ? process.stdout.columns || 80 : Number.POSITIVE_INFINITY,
    paint: paints(interactive && !plain),
    watched,
    log: settings => createLog({ ...settings, colours: watched && !plain }),
    print: (...lines) => void process.stdout.write(lines.map(line => `${line}\n`).join('')),
    say,
    atEnd,
    stopped,
  }
}

const say = (message: string) => void process.stderr.write(`${message.split('\n').map(oneLine).join('\n')}\n`)

/** Exiting throws away what a slow reader has not taken yet; only the end of the stream waits for it. */
const flushed = () =>
  new Promise<void>(resolve => {
    if (process.stdout.errored) resolve()
    process.stdout.once('error', () => resolve())
    process.stdout.end(() => resolve())
  })
