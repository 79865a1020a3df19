import type { Level } from './log.ts'

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
