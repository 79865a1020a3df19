import * as is from './rules.ts'
import { isStrongPassword, SESSION_PASSWORD_LEAST } from './session-password.ts'

export type Env = Record<string, string | undefined>

/** A command reads what its kind needs: `serve` all, `push` and `data` (backup, counts, …) their part. */
export type Purpose = 'serve' | 'push' | 'data'

export interface Setting {
  /** what it is: the line above it in `.env.example`, its row in `docs/settings.md` */
  about: string
  /** what to set it to */
  form: string
  isValid(value: string): boolean
  default?: string
  /** what goes without it, where there is neither a default nor a need */
  absent?: string
  /** what `.env.example` shows where there is no default */
  example?: string
  /** may come from the file that NAME_FILE names */
  secret?: true
  readBy: Partial<Record<Purpose, 'required' | 'optional'>>
}

const byServer = { serve: 'optional' } as const
const requiredToServe = { serve: 'required' } as const
const byAll = { serve: 'optional', push: 'optional', data: 'optional' } as const

/** Every setting, told once: `.env.example`, the table in `docs/settings.md`, `init` and `doctor` follow from it. */
export const settings = {
  PUBLIC_URL: {
    about:
      'The origin people type; redirect URI, cookie flags and cross-site checks derive from it. `http:` only on loopback.',
    form: 'the origin people type, such as https://faultline.example.com; http only for localhost',
    isValid: is.isPublicOrigin,
    example: 'https://faultline.example.com',
    readBy: requiredToServe,
  },
  HOST: {
    about: 'The address to listen on; `0.0.0.0` for all, `unix:/path` for a unix socket (mode 0660).',
    form: 'an address of this machine, such as 127.0.0.1 or 0.0.0.0, or unix: and a whole path of less than 104 bytes',
    isValid: is.isHost,
    default: '127.0.0.1',
    readBy: byServer,
  },
  PORT: {
    about: 'The port to listen on, unless `HOST` is a unix socket.',
    form: 'a port from 1 to 65535',
    isValid: is.isPort,
    default: '3000',
    readBy: byServer,
  },
  REUSE_PORT: {
    about:
      'Whether several servers of this machine share the port, one for each core (Linux, and not with the embedded database).',
    form: 'true or false',
    isValid: is.isOneOf('true', 'false'),
    default: 'false',
    readBy: byServer,
  },
  DRAIN_SECONDS: {
    about:
      'When told to stop: how long `/api/health` says 503 while all else is still served, before listening ends.',
    form: 'whole seconds from 0 to 300, longer than a balancer takes to notice',
    isValid: is.isDrain,
    default: '0',
    readBy: byServer,
  },
  DATABASE_URL: {
    about: 'PostgreSQL 15 or newer, in UTF-8; without it an embedded PostgreSQL lives in `DATA_DIR`.',
    form: 'a URL such as postgres://user:password@host:5432/faultline; of several hosts, host:port,host:port, the one that takes writes is used',
    isValid: is.isPostgresUrl,
    absent: 'the embedded one',
    example: 'postgres://faultline:password@localhost:5432/faultline',
    secret: true,
    readBy: byAll,
  },
  DATABASE_POOLER: {
    about:
      'Whether a pooler that gives a connection away with each transaction, such as PgBouncer, stands in front of PostgreSQL.',
    form: 'transaction, or nothing',
    isValid: is.isOneOf('transaction'),
    absent: 'none',
    readBy: byAll,
  },
  DATABASE_POOL: {
    about: 'How many connections to PostgreSQL an instance keeps at most.',
    form: 'a whole number from 2 to 1000',
    isValid: is.isPoolSize,
    default: '10',
    readBy: byAll,
  },
  DATA_DIR: {
    about: 'Where the embedded database lives; made accessible to its user alone.',
    form: 'a directory',
    isValid: is.isText,
    default: './faultline-data',
    readBy: byAll,
  },
  ALLOWED_DOMAIN: {
    about: 'The one e-mail domain whose people may sign in.',
    form: 'the one e-mail domain that may sign in, such as example.com',
    isValid: is.isDomain,
    example: 'example.com',
    readBy: requiredToServe,
  },
  OWNER_EMAIL: {
    about: 'The one owner, who gets a push for every defect; inside `ALLOWED_DOMAIN`.',
    form: "the one owner's e-mail address",
    isValid: is.isEmail,
    example: 'owner@example.com',
    readBy: { serve: 'required', push: 'required' },
  },
  SESSION_PASSWORD: {
    about:
      'Seals the session cookies: at least 32 characters that are hard to guess; `faultline init` makes one.',
    form: 'at least 32 characters that are hard to guess: no sequences, keyboard rows or repeats; `faultline init` makes one',
    isValid: isStrongPassword,
    secret: true,
    readBy: requiredToServe,
  },
  SESSION_PASSWORD_PREVIOUS: {
    about: 'The former `SESSION_PASSWORD` during a rotation: still opens old cookies.',
    absent: 'none',
    form: 'the former SESSION_PASSWORD, at least 32 characters, while sessions move over',
    isValid: value => value.length >= SESSION_PASSWORD_LEAST,
    secret: true,
    readBy: byServer,
  },
  SESSION_TTL: {
    about: 'How long a session lasts, such as `12h` or `7d`; 5 minutes to 400 days.',
    form: 'a time from 5m to 400d, such as 12h or 7d',
    isValid: is.isSessionTtl,
    default: '7d',
    readBy: byServer,
  },
  OAUTH_PROVIDER: {
    about: "The provider's name in the redirect URI: `/auth/google/callback`.",
    form: 'a path segment of a-z, 0-9 and -, such as google',
    isValid: is.isProviderName,
    default: 'google',
    readBy: byServer,
  },
  OAUTH_ISSUER: {
    about: "The provider's OpenID Connect issuer; Google's when the provider is `google`.",
    form: "the provider's issuer URL, https (http only on loopback), without query or fragment",
    isValid: is.isIssuer,
    absent: "Google's, or required",
    example: 'https://accounts.google.com',
    readBy: byServer,
  },
  OAUTH_CLIENT_ID: {
    about: 'The client id that the provider gave you.',
    form: 'the client id that the provider gave you',
    isValid: is.isText,
    readBy: requiredToServe,
  },
  OAUTH_CLIENT_SECRET: {
    about: 'The client secret that the provider gave you.',
    form: 'the client secret that the provider gave you',
    isValid: is.isText,
    secret: true,
    readBy: requiredToServe,
  },
  VAPID_PUBLIC_KEY: {
    about: 'The public VAPID key handed to browsers; without it push is off.',
    form: 'a VAPID public key (65 bytes in base64url); `faultline init` makes a pair',
    isValid: is.isPublicKey,
    absent: 'none',
    readBy: { serve: 'optional', push: 'required' },
  },
  SIGNING_SECRET: {
    about: 'The VAPID private key that signs push messages; belongs to `VAPID_PUBLIC_KEY`.',
    form: 'the VAPID private key (32 bytes in base64url) that signs push messages; it belongs to VAPID_PUBLIC_KEY',
    isValid: is.isPrivateKey,
    absent: 'required with `VAPID_PUBLIC_KEY`',
    secret: true,
    readBy: { serve: 'optional', push: 'required' },
  },
  PUSH_HOSTS: {
    about: 'Extra push services beyond the built-in list, as `host` or `host:port`, separated by commas.',
    form: 'extra push services as host or host:port, separated by commas',
    isValid: is.isHostList,
    absent: 'none',
    readBy: { serve: 'optional', push: 'optional' },
  },
  BOARD_FILE: {
    about: 'An SVG that replaces the built-in board.',
    form: 'an SVG file',
    isValid: is.isText,
    absent: 'the built-in one',
    readBy: byAll,
  },
  LOG_LEVEL: {
    about: '`debug`, `info`, `warn` or `error`.',
    form: 'debug, info, warn or error',
    isValid: is.isOneOf('debug', 'info', 'warn', 'error'),
    default: 'info',
    readBy: byAll,
  },
  LOG_FORMAT: {
    about: '`json` or `pretty`; without it `pretty` on a terminal.',
    form: 'json or pretty',
    isValid: is.isOneOf('json', 'pretty'),
    absent: 'by the terminal',
    readBy: byAll,
  },
} as const satisfies Record<string, Setting>

export type Name = keyof typeof settings
export const names = Object.keys(settings) as Name[]
export const settingOf = (name: Name): Setting => settings[name]
