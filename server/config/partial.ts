import { ConfigFaults, concerns, fileVariable, readOrFaults, type SettingFault } from './faults.ts'
import { type Config, readConfig } from './read.ts'
import { generateSessionPassword } from './session-password.ts'
import { type Env, type Name, names } from './settings.ts'

export interface Judged {
  /** what is sound, with placeholders for the rest; absent when even that does not hold together */
  config?: Config
  faults: SettingFault[]
  faulty: Set<Name>
}

/** The configuration as far as it is sound, so that each part can be examined although others have faults. */
export function judgeConfig(env: Env): Judged {
  const read = readOrFaults(() => readConfig(env))
  if (!(read instanceof ConfigFaults)) return { config: read, faults: [], faulty: new Set() }
  const { faults } = read
  const faulty = new Set(names.filter(name => faults.some(fault => concerns(name, fault))))
  const variables = new Set([...faulty].flatMap(name => [name, fileVariable(name)]))
  const sound = Object.fromEntries(Object.entries(env).filter(([name]) => !variables.has(name)))
  const config = readOrFaults(() => readConfig(withPlaceholders(sound)))
  return { config: config instanceof ConfigFaults ? undefined : config, faults, faulty }
}

/** Whether what was given holds, whatever is still to be given. */
export function refuseFaulty(env: Env): void {
  readConfig(withPlaceholders(env))
}

function withPlaceholders(env: Env): Env {
  const domain = env.ALLOWED_DOMAIN || env.OWNER_EMAIL?.split('@').at(-1) || 'example.com'
  const placeholders: Partial<Record<Name, string>> = {
    PUBLIC_URL: 'https://faultline.example.com',
    ALLOWED_DOMAIN: domain,
    OWNER_EMAIL: `owner@${domain}`,
    SESSION_PASSWORD: generateSessionPassword(),
    OAUTH_ISSUER: 'https://accounts.google.com',
    OAUTH_CLIENT_ID: 'unknown',
    OAUTH_CLIENT_SECRET: 'unknown',
  }
  const isGiven = (name: string) => env[name] || env[fileVariable(name as Name)]
  const missing = Object.entries(placeholders).filter(([name]) => !isGiven(name))
  return { ...env, ...Object.fromEntries(missing) }
}
