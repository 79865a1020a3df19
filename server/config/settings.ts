import { createECDH } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { FormatRegistry, type Static, type TString, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { fromBase64Url } from '../base64url.ts'
import { isLoopback } from '../loopback.ts'

export type Env = Record<string, string | undefined>

const DOMAIN = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/i
const EMAIL =
  /^(?=.{1,64}@)[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@[A-Za-z0-9.-]+$/
const DURATION = /^([1-9]\d{0,5})([smhd])$/
const SECONDS = { s: 1, m: 60, h: 3_600, d: 86_400 }
const COOKIE_LONGEST_SECONDS = 400 * 86_400

const rules: Record<string, (value: string) => boolean> = {
  'env-origin': isPublicOrigin,
  'env-host': value => /^[A-Za-z0-9._:-]+$/.test(value),
  'env-port': value => /^\d{1,5}$/.test(value) && Number(value) >= 1 && Number(value) <= 65_535,
  'env-postgres': value => /^postgres(ql)?:$/.test(parsed(value)?.protocol ?? ''),
  'env-text': value => value.trim() !== '' && !value.includes('\0'),
  'env-domain': value => DOMAIN.test(value),
  'env-email': value => EMAIL.test(value) && value.length <= 254,
  'env-password': value => value.length >= 32 && new Set(value).size >= 10,
  'env-duration': value => {
    const seconds = durationSeconds(value)
    return seconds >= 300 && seconds <= COOKIE_LONGEST_SECONDS
  },
  'env-segment': value => /^[a-z0-9-]{1,40}$/.test(value) && value !== 'logout',
  'env-issuer': isIssuer,
  'env-public-key': value => fromBase64Url(value)?.length === 65,
  'env-private-key': value => fromBase64Url(value)?.length === 32,
  'env-push-hosts': value =>
    list(value).every(host => /^[a-z0-9.-]+(:\d{1,5})?$|^\[[0-9a-f:]+\](:\d{1,5})?$/i.test(host)),
  'env-level': value => /^(debug|info|warn|error)$/.test(value),
  'env-log-format': value => /^(json|pretty)$/.test(value),
}
for (const [name, holds] of Object.entries(rules)) FormatRegistry.Set(name, holds)

const setting = (format: keyof typeof rules & string, mend: string, options: { secret?: boolean } = {}) =>
  Type.Optional(Type.String({ format, mend, ...options }))

/** The one schema of the environment. */
export const Environment = Type.Object({
  PUBLIC_URL: setting(
    'env-origin',
    'the origin people type, such as https://faultline.example.com; http only for localhost',
  ),
  HOST: setting('env-host', 'an address to listen on, such as 127.0.0.1 or 0.0.0.0'),
  PORT: setting('env-port', 'a port from 1 to 65535'),
  DATABASE_URL: setting('env-postgres', 'a URL such as postgres://user:password@host:5432/faultline', {
    secret: true,
  }),
  DATA_DIR: setting('env-text', 'a directory'),
  ALLOWED_DOMAIN: setting('env-domain', 'the one e-mail domain that may sign in, such as example.com'),
  OWNER_EMAIL: setting('env-email', "the one owner's e-mail address"),
  SESSION_PASSWORD: setting(
    'env-password',
    'at least 32 characters that are hard to guess; `faultline init` makes one',
    {
      secret: true,
    },
  ),
  SESSION_PASSWORD_PREVIOUS: setting(
    'env-password',
    'the former SESSION_PASSWORD, while sessions move over',
    { secret: true },
  ),
  SESSION_TTL: setting('env-duration', 'a time from 5m to 400d, such as 12h or 7d'),
  OAUTH_PROVIDER: setting('env-segment', 'a path segment of a-z, 0-9 and -, such as google'),
  OAUTH_ISSUER: setting(
    'env-issuer',
    "the provider's issuer URL, https (http only on loopback), without query or fragment",
  ),
  OAUTH_CLIENT_ID: setting('env-text', 'the client id that the provider gave you'),
  OAUTH_CLIENT_SECRET: setting('env-text', 'the client secret that the provider gave you', { secret: true }),
  VAPID_PUBLIC_KEY: setting(
    'env-public-key',
    'a VAPID public key (65 bytes in base64url); `faultline init` makes a pair',
  ),
  SIGNING_SECRET: setting(
    'env-private-key',
    'the VAPID private key (32 bytes in base64url) that signs push messages; it belongs to VAPID_PUBLIC_KEY',
    {
      secret: true,
    },
  ),
  PUSH_HOSTS: setting('env-push-hosts', 'extra push services as host or host:port, separated by commas'),
  BOARD_FILE: setting('env-text', 'an SVG file'),
  LOG_LEVEL: setting('env-level', 'debug, info, warn or error'),
  LOG_FORMAT: setting('env-log-format', 'json or pretty'),
})
export type Name = keyof typeof Environment.properties
export type Settings = Static<typeof Environment>

/** Every setting judged by itself, and those that only make sense together. */
export function readSettings(
  env: Env,
  names: Name[],
  required: Name[],
): { settings: Settings; faults: string[] } {
  const settings: Settings = {}
  const faults: string[] = []
  for (const name of names) {
    const schema = Environment.properties[name] as TString & { mend: string; secret?: boolean }
    const { value, fault } = schema.secret ? fromFile(env, name) : { value: env[name], fault: undefined }
    if (fault) faults.push(fault)
    else if (!value) {
      if (required.includes(name)) faults.push(missing(name))
    } else if (Value.Check(schema, value)) settings[name] = value
    else faults.push(`${name}: must be ${schema.mend}`)
  }
  if (names.includes('SIGNING_SECRET')) faults.push(...keyPairFaults(settings, faults))
  return { settings, faults }
}

export const missing = (name: Name) =>
  `${name}: is missing; set it to ${(Environment.properties[name] as unknown as { mend: string }).mend}`

/** A secret may lie in a file, as container platforms hand them out. */
function fromFile(env: Env, name: Name): { value?: string; fault?: string } {
  const file = env[`${name}_FILE`]
  if (!file) return { value: env[name] }
  if (env[name]) return { fault: `${name}: is set twice; keep either ${name} or ${name}_FILE` }
  try {
    return { value: readFileSync(file, 'utf8').replace(/\r?\n$/, '') }
  } catch (error) {
    const { code } = error as { code?: string }
    return { fault: `${name}_FILE: the file cannot be read (${code}); name one that this user may read` }
  }
}

function keyPairFaults(settings: Settings, faults: string[]): string[] {
  const { VAPID_PUBLIC_KEY: publicKey, SIGNING_SECRET: privateKey } = settings
  const judged = faults.some(fault => /^(VAPID_PUBLIC_KEY|SIGNING_SECRET)/.test(fault))
  if (judged || (!publicKey && !privateKey)) return []
  if (!publicKey) return [missing('VAPID_PUBLIC_KEY')]
  if (!privateKey) return [missing('SIGNING_SECRET')]
  if (publicKeyOf(privateKey) === fromBase64Url(publicKey)?.toString('hex')) return []
  return [
    'SIGNING_SECRET: must be the VAPID private key that belongs to VAPID_PUBLIC_KEY; `faultline init` makes a pair',
  ]
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

function isPublicOrigin(value: string): boolean {
  const url = parsed(value)
  if (!url || !/^https?:$/.test(url.protocol)) return false
  const bare =
    url.username === '' && url.password === '' && value.replace(/\/$/, '').toLowerCase() === url.origin
  return bare && (url.protocol === 'https:' || isLoopback(url.hostname))
}

function isIssuer(value: string): boolean {
  const url = parsed(value)
  if (!url || url.search || url.hash || url.username || url.password) return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))
}

export function durationSeconds(value: string): number {
  const [, amount, unit] = DURATION.exec(value) ?? []
  return Number(amount) * SECONDS[unit as keyof typeof SECONDS]
}

function parsed(value: string): URL | undefined {
  return URL.canParse(value) ? new URL(value) : undefined
}

export const list = (value: string) =>
  value
    .split(',')
    .map(item => item.trim())
    .filter(Boolean)
