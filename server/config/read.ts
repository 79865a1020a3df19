import { createECDH } from 'node:crypto'
import { fromBase64Url } from '../base64url.ts'
import { fileFault } from '../file-fault.ts'
import type { Level } from '../log.ts'
import { ConfigFaults, concerns, fileVariable, invalid, missing, type SettingFault } from './faults.ts'
import { durationSeconds, list, socketPathOf } from './rules.ts'
import { type Env, type Name, names, type Purpose, settingOf, settings } from './settings.ts'
import { readShort } from './short-file.ts'

/** What every command that touches data needs. */
export interface DataConfig {
  /** absent: the embedded database in `dataDir` */
  databaseUrl?: string
  /** connections are a pooler's, and change hands with each transaction */
  pooled?: boolean
  /** connections to `databaseUrl` at most */
  poolSize?: number
  dataDir: string
  boardFile?: string
  log: { level: Level; format: 'json' | 'pretty' }
}

export interface Vapid {
  publicKey: string
  /** SIGNING_SECRET: the private key that belongs to `publicKey` */
  privateKey: string
}

export interface PushConfig extends DataConfig {
  ownerEmail: string
  /** absent: push is off */
  vapid?: Vapid
  /** PUSH_HOSTS: `host` or `host:port`, lower-cased */
  pushHosts: string[]
}

/** All that `serve` needs; frozen. */
export interface Config extends PushConfig {
  /** origin that people type, without a trailing slash, e.g. `https://faultline.example.com` */
  publicUrl: string
  host: string
  port: number
  /** of a unix socket, which stands for `host` and `port` */
  socketPath?: string
  /** other servers of this machine may listen on the same port */
  reusePort: boolean
  drainSeconds: number
  /** lower-cased */
  allowedDomain: string
  session: { password: string; previous?: string; ttlSeconds: number }
  oauth: { provider: string; issuer: string; clientId: string; clientSecret: string }
}

const GOOGLE_ISSUER = 'https://accounts.google.com'

type Given = Partial<Record<Name, string>>
type NamesWhere<Rule> = { [N in Name]: (typeof settings)[N] extends Rule ? N : never }[Name]
/** What a command gets that reads for this purpose: all it requires, and what has a default. */
type Values<P extends Purpose> = Given &
  Record<NamesWhere<{ default: string }> | NamesWhere<{ readBy: Record<P, 'required'> }>, string>

export const readConfig = (env: Env): Config => deepFreeze(serverConfig(readSettings(env, 'serve')))
/** What `serve` was given or goes by, secrets from files included: for telling what has changed. */
export const serverSettings = (env: Env): Given => readSettings(env, 'serve')
export const readPushConfig = (env: Env): PushConfig => deepFreeze(pushConfig(readSettings(env, 'push')))
export const readDataConfig = (env: Env): DataConfig => deepFreeze(dataConfig(readSettings(env, 'data')))

function serverConfig(values: Values<'serve'>): Config {
  return {
    ...pushConfig(values),
    publicUrl: new URL(values.PUBLIC_URL).origin,
    host: values.HOST,
    port: Number(values.PORT),
    socketPath: socketPathOf(values.HOST),
    reusePort: values.REUSE_PORT === 'true',
    drainSeconds: Number(values.DRAIN_SECONDS),
    allowedDomain: values.ALLOWED_DOMAIN.toLowerCase(),
    session: {
      password: values.SESSION_PASSWORD,
      previous: values.SESSION_PASSWORD_PREVIOUS,
      ttlSeconds: durationSeconds(values.SESSION_TTL),
    },
    oauth: {
      provider: values.OAUTH_PROVIDER,
      issuer: values.OAUTH_ISSUER ?? GOOGLE_ISSUER,
      clientId: values.OAUTH_CLIENT_ID,
      clientSecret: values.OAUTH_CLIENT_SECRET,
    },
  }
}

function pushConfig(values: Values<'data'> & { OWNER_EMAIL: string }): PushConfig {
  const { VAPID_PUBLIC_KEY: publicKey, SIGNING_SECRET: privateKey } = values
  return {
    ...dataConfig(values),
    ownerEmail: values.OWNER_EMAIL.toLowerCase(),
    vapid: publicKey && privateKey ? { publicKey, privateKey } : undefined,
    pushHosts: list(values.PUSH_HOSTS ?? '').map(host => host.toLowerCase()),
  }
}

function dataConfig(values: Values<'data'>): DataConfig {
  const format = values.LOG_FORMAT as 'json' | 'pretty' | undefined
  return {
    databaseUrl: values.DATABASE_URL,
    pooled: values.DATABASE_POOLER === 'transaction',
    poolSize: Number(values.DATABASE_POOL),
    dataDir: values.DATA_DIR,
    boardFile: values.BOARD_FILE,
    log: { level: values.LOG_LEVEL as Level, format: format ?? (process.stderr.isTTY ? 'pretty' : 'json') },
  }
}

/** Every setting judged by itself, then those that only make sense together; all faults at once. */
function readSettings<P extends Purpose>(env: Env, purpose: P): Values<P> {
  const values: Given = {}
  const faults: SettingFault[] = []
  for (const name of names) {
    const need = settingOf(name).readBy[purpose]
    if (!need) continue
    const given = settingOf(name).secret ? secret(env, name) : env[name]
    if (typeof given === 'object') faults.push(given)
    else if (given && !settingOf(name).isValid(given)) faults.push(invalid(name))
    else if (!given && need === 'required') faults.push(missing(name))
    else values[name] = given || settingOf(name).default
  }
  const isJudged = ({ setting }: { setting: Name }) => faults.some(fault => concerns(setting, fault))
  faults.push(...combinationFaults(values).filter(fault => !isJudged(fault)))
  if (faults.length) throw new ConfigFaults(faults)
  return values as Values<P>
}

/** A secret may lie in a file, as container platforms hand them out. */
function secret(env: Env, name: Name): string | undefined | SettingFault {
  const variable = fileVariable(name)
  const path = env[variable]
  if (!path) return env[name]
  if (env[name]) return { setting: name, message: 'is set twice', fix: `keep either ${name} or ${variable}` }
  try {
    return readShort(path).replace(/\r?\n$/, '')
  } catch (error) {
    const { reason, fix } = fileFault(error, path) ?? { reason: '', fix: 'name one that this user may read' }
    return { setting: variable, message: `the file cannot be read ${reason}`.trim(), fix }
  }
}

function combinationFaults(values: Given) {
  const {
    OWNER_EMAIL: owner,
    ALLOWED_DOMAIN: domain,
    OAUTH_PROVIDER: provider,
    OAUTH_ISSUER: issuer,
    REUSE_PORT: reusePort,
    HOST: host = '',
    DATABASE_URL: databaseUrl,
  } = values
  const faults: (SettingFault & { setting: Name })[] = []
  if (provider && provider !== settings.OAUTH_PROVIDER.default && !issuer)
    faults.push(missing('OAUTH_ISSUER'))
  if (owner && domain && owner.slice(owner.lastIndexOf('@') + 1).toLowerCase() !== domain.toLowerCase()) {
    const fix = 'set it to an address inside ALLOWED_DOMAIN'
    faults.push({ setting: 'OWNER_EMAIL', message: 'is outside ALLOWED_DOMAIN', fix })
  }
  if (reusePort === 'true' && !databaseUrl) {
    const fix = 'set DATABASE_URL: the embedded database belongs to one server'
    faults.push({ setting: 'REUSE_PORT', message: 'needs a PostgreSQL', fix })
  }
  if (reusePort === 'true' && socketPathOf(host)) {
    const fix = 'set HOST to an address, or give each server a socket of its own'
    faults.push({ setting: 'REUSE_PORT', message: 'is for ports, and HOST is a unix socket', fix })
  }
  return [...faults, ...keyPairFaults(values)]
}

function keyPairFaults({ VAPID_PUBLIC_KEY: publicKey, SIGNING_SECRET: privateKey }: Given) {
  if (!publicKey && !privateKey) return []
  if (!publicKey) return [missing('VAPID_PUBLIC_KEY')]
  if (!privateKey) return [missing('SIGNING_SECRET')]
  if (publicKeyOf(privateKey) === fromBase64Url(publicKey)?.toString('hex')) return []
  const message = 'must be the VAPID private key that belongs to VAPID_PUBLIC_KEY'
  return [{ setting: 'SIGNING_SECRET' as const, message, fix: '`faultline init` makes a pair' }]
}

function publicKeyOf(privateKey: string): string | undefined {
  try {
    const curve = createECDH('prime256v1')
    curve.setPrivateKey(fromBase64Url(privateKey) ?? Buffer.alloc(0))
    return curve.getPublicKey('hex')
  } catch {
    return undefined
  }
}

function deepFreeze<T extends object>(value: T): T {
  for (const inner of Object.values(value)) if (typeof inner === 'object' && inner) deepFreeze(inner)
  return Object.freeze(value)
}
