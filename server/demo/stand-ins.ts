import { randomBytes } from 'node:crypto'
import { type Config, ConfigFaults, readConfig } from '../config/read.ts'
import type { Env } from '../config/settings.ts'

/** For settings that somebody has not given yet, so that what is there can be judged without them. */
export function standIns(env: Env): Env {
  const domain = env.ALLOWED_DOMAIN || env.OWNER_EMAIL?.split('@').at(-1) || 'example.com'
  return {
    PUBLIC_URL: 'https://faultline.example.com',
    ALLOWED_DOMAIN: domain,
    OWNER_EMAIL: `owner@${domain}`,
    SESSION_PASSWORD: randomBytes(36).toString('base64url'),
    OAUTH_ISSUER: 'https://accounts.google.com',
    OAUTH_CLIENT_ID: 'unknown',
    OAUTH_CLIENT_SECRET: 'unknown',
  }
}

/** The configuration; where it has faults, what is left of it without the settings at fault. */
export function salvage(env: Env): { config?: Config; faults: string[]; faulty: Set<string> } {
  try {
    return { config: readConfig(env), faults: [], faulty: new Set() }
  } catch (error) {
    if (!(error instanceof ConfigFaults)) throw error
    const faulty = new Set(error.faults.map(fault => fault.replace(/:.*/s, '').replace(/_FILE$/, '')))
    const isFaulty = (name: string) => faulty.has(name) || faulty.has(name.replace(/_FILE$/, ''))
    const sound = Object.fromEntries(Object.entries(env).filter(([name, value]) => value && !isFaulty(name)))
    try {
      return { config: readConfig({ ...missing(sound), ...sound }), faults: error.faults, faulty }
    } catch {
      return { faults: error.faults, faulty }
    }
  }
}

const missing = (sound: Env) =>
  Object.fromEntries(Object.entries(standIns(sound)).filter(([name]) => !sound[`${name}_FILE`]))
