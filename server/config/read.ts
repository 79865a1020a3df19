import type { Level } from '../log.ts'
import {
  durationSeconds,
  type Env,
  Environment,
  list,
  missing,
  type Name,
  readSettings,
  type Settings,
} from './settings.ts'

/** What every command that touches data needs. */
export interface DataConfig {
  /** absent: the embedded database in `dataDir` */
  databaseUrl?: string
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
  /** lower-cased */
  allowedDomain: string
  session: { password: string; previous?: string; ttlSeconds: number }
  oauth: { provider: string; issuer: string; clientId: string; clientSecret: string }
}

/** All that is wrong with the environment, a line each; never with a value in it. */
export class ConfigFaults extends Error {
  constructor(readonly faults: string[]) {
    super(faults.join('\n'))
  }
}

export const DEFAULT_DATA_DIR = './faultline-data'
const GOOGLE = 'https://accounts.google.com'

const dataNames: Name[] = ['DATABASE_URL', 'DATA_DIR', 'BOARD_FILE', 'LOG_LEVEL', 'LOG_FORMAT']
const pushNames: Name[] = [...dataNames, 'OWNER_EMAIL', 'VAPID_PUBLIC_KEY', 'SIGNING_SECRET', 'PUSH_HOSTS']
const requiredToServe: Name[] = [
  'PUBLIC_URL',
  'ALLOWED_DOMAIN',
  'OWNER_EMAIL',
  'SESSION_PASSWORD',
  'OAUTH_CLIENT_ID',
  'OAUTH_CLIENT_SECRET',
]

export function readConfig(env: Env): Config {
  const { settings, faults } = readSettings(
    env,
    Object.keys(Environment.properties) as Name[],
    requiredToServe,
  )
  const provider = settings.OAUTH_PROVIDER ?? 'google'
  const issuer = settings.OAUTH_ISSUER ?? (provider === 'google' ? GOOGLE : undefined)
  if (!issuer && !faults.some(fault => fault.startsWith('OAUTH_ISSUER'))) faults.push(missing('OAUTH_ISSUER'))
  if (ownerOutside(settings)) faults.push('OWNER_EMAIL: must be an address inside ALLOWED_DOMAIN')
  if (faults.length) throw new ConfigFaults(faults)
  const given = settings as Required<Settings>
  return deepFreeze({
    ...pushConfig(settings),
    publicUrl: new URL(given.PUBLIC_URL).origin,
    host: settings.HOST ?? '127.0.0.1',
    port: Number(settings.PORT ?? 3000),
    allowedDomain: given.ALLOWED_DOMAIN.toLowerCase(),
    session: {
      password: given.SESSION_PASSWORD,
      ...(settings.SESSION_PASSWORD_PREVIOUS ? { previous: settings.SESSION_PASSWORD_PREVIOUS } : {}),
      ttlSeconds: durationSeconds(settings.SESSION_TTL ?? '7d'),
    },
    oauth: {
      provider,
      issuer: issuer!,
      clientId: given.OAUTH_CLIENT_ID,
      clientSecret: given.OAUTH_CLIENT_SECRET,
    },
  })
}

export function readDataConfig(env: Env): DataConfig {
  const { settings, faults } = readSettings(env, dataNames, [])
  if (faults.length) throw new ConfigFaults(faults)
  return deepFreeze(dataConfig(settings))
}

export function readPushConfig(env: Env): PushConfig {
  const { settings, faults } = readSettings(env, pushNames, [
    'OWNER_EMAIL',
    'VAPID_PUBLIC_KEY',
    'SIGNING_SECRET',
  ])
  if (faults.length) throw new ConfigFaults(faults)
  return deepFreeze(pushConfig(settings))
}

function dataConfig(settings: Settings): DataConfig {
  return {
    ...(settings.DATABASE_URL ? { databaseUrl: settings.DATABASE_URL } : {}),
    dataDir: settings.DATA_DIR ?? DEFAULT_DATA_DIR,
    ...(settings.BOARD_FILE ? { boardFile: settings.BOARD_FILE } : {}),
    log: {
      level: (settings.LOG_LEVEL ?? 'info') as Level,
      format:
        (settings.LOG_FORMAT as 'json' | 'pretty' | undefined) ?? (process.stderr.isTTY ? 'pretty' : 'json'),
    },
  }
}

function pushConfig(settings: Settings): PushConfig {
  const { VAPID_PUBLIC_KEY: publicKey, SIGNING_SECRET: privateKey } = settings
  return {
    ...dataConfig(settings),
    ownerEmail: (settings.OWNER_EMAIL ?? '').toLowerCase(),
    ...(publicKey && privateKey ? { vapid: { publicKey, privateKey } } : {}),
    pushHosts: list(settings.PUSH_HOSTS ?? '').map(host => host.toLowerCase()),
  }
}

function ownerOutside({ OWNER_EMAIL: email, ALLOWED_DOMAIN: domain }: Settings): boolean {
  if (!email || !domain) return false
  return email.slice(email.lastIndexOf('@') + 1).toLowerCase() !== domain.toLowerCase()
}

function deepFreeze<T extends object>(value: T): T {
  for (const inner of Object.values(value)) if (typeof inner === 'object' && inner) deepFreeze(inner)
  return Object.freeze(value)
}
