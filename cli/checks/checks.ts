import { existsSync, statSync } from 'node:fs'
import { sql } from 'drizzle-orm'
import { BoardFaults, loadBoard } from '../../server/board/board.ts'
import { type Config, ConfigFaults, type DataConfig, readDataConfig } from '../../server/config/read.ts'
import { connect } from '../../server/db/database.ts'
import { pendingMigrations, SchemaTooNew } from '../../server/db/migrate.ts'
import { salvage } from '../../server/demo/stand-ins.ts'
import { isLoopback } from '../../server/loopback.ts'
import { OutboundFault, request } from '../../server/outbound.ts'
import { deviceStatus } from '../../server/push/devices.ts'
import { type Io, openAsItIs } from '../run.ts'
import { explain } from '../terminal/explain.ts'
import { quantity } from '../terminal/print.ts'

export interface Check {
  name: 'settings' | 'database' | 'schema' | 'board' | 'sign-in' | 'push keys' | 'push services'
  status: 'ok' | 'fault' | 'skipped'
  said: string
  mend?: string
}

const DEADLINE_MS = 5_000
const DISCOVERY_MOST_BYTES = 256 * 1024
const PUSH_SERVICES = ['fcm.googleapis.com', 'updates.push.services.mozilla.com', 'web.push.apple.com']

/** Every check runs, whatever the ones before it found. */
export async function* examine(io: Io, envFile?: string): AsyncGenerator<Check> {
  const { config, faults, faulty } = salvage(io.env)
  yield* settings(config, faults, envFile)
  const data = dataConfig(io)
  const devices: string[] = []
  yield* database(io, data, config, devices)
  yield* board(data)
  yield* signIn(config, faulty)
  yield pushKeys(config, faulty)
  yield* pushServices(config, devices)
}

function* settings(config: Config | undefined, faults: string[], envFile?: string): Generator<Check> {
  const name = 'settings'
  for (const fault of faults) {
    const [said = fault, mend = 'correct it in the environment or the settings file'] = fault.split(/; (.*)/s)
    yield { name, status: 'fault', said, mend }
  }
  if (envFile && (statSync(envFile).mode & 0o077) !== 0) {
    yield { name, status: 'fault', said: `others may read ${envFile}`, mend: `chmod 600 ${envFile}` }
  }
  if (config && !faults.length) yield { name, status: 'ok', said: `complete, for ${config.publicUrl}` }
}

function dataConfig(io: Io): DataConfig | undefined {
  try {
    return readDataConfig(io.env)
  } catch (error) {
    if (error instanceof ConfigFaults) return undefined
    throw error
  }
}

async function* database(
  io: Io,
  data: DataConfig | undefined,
  config: Config | undefined,
  devices: string[],
): AsyncGenerator<Check> {
  if (!data) return yield skipped('database', 'its settings need mending first')
  if (!data.databaseUrl && !existsSync(data.dataDir)) {
    const said = `an embedded one will be made in ${data.dataDir} at the first start`
    return yield { name: 'database', status: 'ok', said }
  }
  try {
    const opened = await openAsItIs(io, data)
    const db = connect(opened.target)
    io.atEnd(() => db.close())
    const pending = await pendingMigrations(opened.target).catch(error => {
      if (error instanceof SchemaTooNew) return error
      throw error
    })
    const [facts] = await db.read(queries =>
      queries.execute<{ version: string }>(sql`select current_setting('server_version') as version`),
    )
    const kind =
      db.kind === 'postgres' ? 'PostgreSQL' : opened.here ? 'embedded' : "the running server's embedded"
    yield { name: 'database', status: 'ok', said: `${kind} ${facts?.version}, UTF-8` }
    yield schema(pending)
    if (!config || pending instanceof SchemaTooNew || pending.length) return
    devices.push(...(await deviceStatus(db, config)).map(({ device }) => device.replace(/\/.*/, '')))
  } catch (error) {
    const said = explain(error)
      .lines.join(' ')
      .replace(/^faultline: /, '')
    const mend = data.databaseUrl
      ? 'start PostgreSQL, or correct DATABASE_URL; this machine and user must be let in'
      : `look at ${data.dataDir}: it must be writable, and its file system not full`
    yield { name: 'database', status: 'fault', said, mend }
  }
}

function schema(pending: string[] | SchemaTooNew): Check {
  const name = 'schema'
  if (pending instanceof SchemaTooNew) {
    return {
      name,
      status: 'fault',
      said: 'newer than this program',
      mend: 'use the version that made it, or a later one',
    }
  }
  const said = pending.length
    ? `${quantity(pending.length, 'migration')} pending; \`faultline serve\` and \`faultline migrate\` apply them`
    : 'that of this version'
  return { name, status: 'ok', said }
}

async function* board(data: DataConfig | undefined): AsyncGenerator<Check> {
  if (!data) return yield skipped('board', 'its settings need mending first')
  const file = data.boardFile ?? 'the built-in one'
  try {
    const { sections } = loadBoard(data.boardFile)
    yield { name: 'board', status: 'ok', said: `${file}, ${quantity(sections.size, 'section')}` }
  } catch (error) {
    const faults = error instanceof BoardFaults ? error.faults : explain(error).lines
    for (const said of faults) yield { name: 'board', status: 'fault', said, mend: `mend it in ${file}` }
  }
}

async function* signIn(config: Config | undefined, faulty: Set<string>): AsyncGenerator<Check> {
  const name = 'sign-in'
  if (!config || faulty.has('OAUTH_ISSUER') || faulty.has('OAUTH_PROVIDER')) {
    return yield skipped(name, 'its settings need mending first')
  }
  const { issuer, provider } = config.oauth
  const fault = await discoveryFault(issuer)
  if (fault) return yield { name, status: 'fault', ...fault }
  const register = faulty.has('PUBLIC_URL')
    ? ''
    : `; its redirect URI here is ${config.publicUrl}/auth/${provider}/callback`
  yield { name, status: 'ok', said: `${issuer} answers${register}` }
}

async function discoveryFault(issuer: string): Promise<{ said: string; mend: string } | undefined> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const mend = `OAUTH_ISSUER must be the provider's issuer exactly; ${url} has to answer from this machine`
  try {
    const answer = await request(url, {
      allow: () => true,
      deadlineMs: DEADLINE_MS,
      maxBytes: DISCOVERY_MOST_BYTES,
    })
    if (answer.status !== 200) return { said: `${url} answers ${answer.status}`, mend }
    const found = JSON.parse(new TextDecoder().decode(answer.body)) as { issuer?: unknown }
    return found?.issuer === issuer
      ? undefined
      : { said: `${url} speaks for another issuer: ${found?.issuer}`, mend }
  } catch (error) {
    const said = error instanceof OutboundFault ? error.message : `${url} is not a discovery document`
    return { said, mend }
  }
}

function pushKeys(config: Config | undefined, faulty: Set<string>): Check {
  const name = 'push keys'
  if (faulty.has('VAPID_PUBLIC_KEY') || faulty.has('SIGNING_SECRET')) {
    return skipped(name, 'the settings need mending first')
  }
  if (!config?.vapid) return skipped(name, 'push is off: VAPID_PUBLIC_KEY is not set')
  return { name, status: 'ok', said: 'SIGNING_SECRET belongs to VAPID_PUBLIC_KEY' }
}

async function* pushServices(config: Config | undefined, devices: string[]): AsyncGenerator<Check> {
  const name = 'push services'
  if (!config?.vapid) return yield skipped(name, 'push is off')
  const hosts = [...new Set([...PUSH_SERVICES, ...devices])]
  const found = await Promise.all(hosts.map(async host => ({ host, fault: await reachFault(host) })))
  for (const { host, fault } of found) {
    if (!fault) yield { name, status: 'ok', said: `${host} answers` }
    else
      yield { name, status: 'fault', said: fault, mend: `let this machine open https connections to ${host}` }
  }
}

/** Any answer will do: it shows that the way is open. */
async function reachFault(host: string): Promise<string | undefined> {
  const scheme = isLoopback(new URL(`https://${host}`).hostname) ? 'http' : 'https'
  try {
    await request(`${scheme}://${host}/`, {
      allow: () => true,
      deadlineMs: DEADLINE_MS,
      maxBytes: 0,
      bodyMs: 100,
    })
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

const skipped = (name: Check['name'], said: string): Check => ({ name, status: 'skipped', said })
