import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSessions } from '../../server/auth/session.ts'
import { type Config, readConfig } from '../../server/config/read.ts'
import { connect, type Database } from '../../server/db/database.ts'
import { openTarget } from '../../server/db/open.ts'
import { createLog } from '../../server/log.ts'
import { start } from '../../server/serve.ts'
import { whenAllEnded } from './end.ts'
import { isHealthy } from './health.ts'
import { freePort, freshDatabase } from './postgres.ts'
import { layOutDataDir } from './prepared.ts'
import { until } from './until.ts'

/**
 * The real product on a real database. What "the product" is, the run decides:
 * FAULTLINE_BINARY names an executable to start, else the app runs in this process;
 * FAULTLINE_DATABASE is `postgres`, else the embedded database is used.
 */
export interface TestApp {
  origin: string
  /** fetch as this person, with a session like any other */
  as(email: string): (path: string, init?: RequestInit) => Promise<Response>
  anonymous(path: string, init?: RequestInit): Promise<Response>
  /** a Cookie header's value */
  cookie(email: string): Promise<string>
  config: Config
  env: Record<string, string>
  /** the same database, on connections of the test's own */
  db: Database
  /** lines that the product logged */
  logs: LogLine[]
  pid?: number
  /** an error line of the log is expected: do not fail the test for it */
  expectErrors(): void
  /** Stops the product as SIGTERM does; the database stays for `restart`. */
  halt(): Promise<void>
  restart(env?: Record<string, string>): Promise<void>
  stop(): Promise<void>
}

export interface LogLine {
  level: string
  message: string
  [field: string]: unknown
}

export interface TestAppOptions {
  env?: Record<string, string>
  /** share the database of another test app: a second instance (PostgreSQL only) */
  beside?: TestApp
  database?: 'postgres' | 'embedded'
}

export const testDatabase = (process.env.FAULTLINE_DATABASE ?? 'embedded') as 'postgres' | 'embedded'
export const testBinary = process.env.FAULTLINE_BINARY

export const OWNER = 'owner@example.com'
export const ALICE = 'alice@example.com'
export const BOB = 'bob@example.com'

export async function testApp(options: TestAppOptions = {}): Promise<TestApp> {
  const port = await freePort()
  const kind = options.database ?? testDatabase
  const home = mkdtempSync(join(tmpdir(), 'faultline-test-'))
  const database =
    kind === 'postgres' && !options.beside ? await freshDatabase({ migrated: true }) : undefined
  const databaseUrl = database?.url ?? options.beside?.env.DATABASE_URL
  const env: Record<string, string> = {
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    PORT: String(port),
    DATA_DIR: join(home, 'data'),
    ...(databaseUrl ? { DATABASE_URL: databaseUrl } : {}),
    ALLOWED_DOMAIN: 'example.com',
    OWNER_EMAIL: OWNER,
    SESSION_PASSWORD: 'a test password of enough different characters',
    OAUTH_PROVIDER: 'test',
    OAUTH_ISSUER: 'http://127.0.0.1:9',
    OAUTH_CLIENT_ID: 'faultline',
    OAUTH_CLIENT_SECRET: 'client-secret',
    LOG_LEVEL: 'debug',
    LOG_FORMAT: 'json',
    ...options.env,
  }
  if (!env.DATABASE_URL) layOutDataDir(env.DATA_DIR!)

  const logs: LogLine[] = []
  let errorsExpected = false
  let product = await launch(env, home, logs)
  const app = {
    origin: `http://127.0.0.1:${port}`,
    config: readConfig(env),
    env,
    logs,
    as(email: string) {
      const session = app.cookie(email)
      return async (path: string, init: RequestInit = {}) => {
        const headers = new Headers(init.headers)
        headers.set('cookie', await session)
        return fetch(app.origin + path, { redirect: 'manual', ...init, headers })
      }
    },
    anonymous: (path: string, init: RequestInit = {}) =>
      fetch(app.origin + path, { redirect: 'manual', ...init }),
    async cookie(email: string) {
      const setCookie = await createSessions(app.config).begin(email)
      return setCookie.split(';', 1)[0]!
    },
    get pid() {
      return product.pid
    },
    get db() {
      return product.db
    },
    expectErrors() {
      errorsExpected = true
    },
    halt: () => product.halt(),
    async restart(changed: Record<string, string> = {}) {
      await product.halt()
      Object.assign(env, changed)
      app.config = readConfig(env)
      product = await launch(env, home, logs)
    },
    async stop() {
      await product.halt()
      await database?.drop()
      rmSync(home, { recursive: true, force: true })
      const errors = logs.filter(line => line.level === 'error')
      if (errors.length && !errorsExpected) {
        throw new Error(`the product logged errors: ${JSON.stringify(errors, null, 2)}`)
      }
    },
  }
  return app
}

let shared: Promise<TestApp> | undefined

/** One for all files of a process that neither stop it nor mind what others store in it. */
export function sharedApp(): Promise<TestApp> {
  shared ??= testApp()
  return shared
}
whenAllEnded(async () => (await shared)?.stop())

interface Product {
  db: Database
  pid?: number
  halt(): Promise<void>
}

async function launch(env: Record<string, string>, home: string, logs: LogLine[]): Promise<Product> {
  const product = testBinary ? await spawned(testBinary, env, home, logs) : await inProcess(env, logs)
  const config = readConfig(env)
  const opened = await openTarget(config, createLog(config.log), { joinOnly: true })
  const db = connect(opened.target)
  return {
    ...product,
    db,
    async halt() {
      await db.close()
      await product.halt()
    },
  }
}

async function inProcess(env: Record<string, string>, logs: LogLine[]): Promise<Omit<Product, 'db'>> {
  const config = readConfig(env)
  const log = createLog(config.log, line => void logs.push(JSON.parse(line)))
  const running = await start(config, log)
  await running.ready
  return { halt: once(() => running.stop()) }
}

async function spawned(
  binary: string,
  env: Record<string, string>,
  home: string,
  logs: LogLine[],
): Promise<Omit<Product, 'db'>> {
  const child = Bun.spawn([binary, 'serve'], { cwd: home, env, stdout: 'ignore', stderr: 'pipe' })
  void collect(child.stderr, logs)
  const halt = once(async () => {
    child.kill('SIGTERM')
    await child.exited
  })
  try {
    await becomesHealthy(`http://127.0.0.1:${env.PORT}`, child, logs)
  } catch (error) {
    await halt()
    throw error
  }
  return { pid: child.pid, halt }
}

async function collect(stream: ReadableStream<Uint8Array>, logs: LogLine[]): Promise<void> {
  let rest = ''
  const decoder = new TextDecoder()
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines)
      logs.push(line.startsWith('{') ? JSON.parse(line) : { level: 'text', message: line })
  }
}

function becomesHealthy(origin: string, child: Bun.Subprocess, logs: LogLine[]): Promise<void> {
  const answers = () => {
    if (child.exitCode !== null) throw new Error(`the executable ended: ${JSON.stringify(logs)}`)
    return isHealthy(origin)
  }
  return until(answers, () => `the executable becomes healthy: ${JSON.stringify(logs)}`)
}

function once(run: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  return () => {
    done ??= run()
    return done
  }
}
