import example from '../../.env.example' with { type: 'text' }
import { parseEnv } from './env-file.ts'

export interface Chosen {
  publicUrl?: string
  domain?: string
  owner?: string
  provider: string
  issuer?: string
  clientId?: string
  sessionPassword: string
  vapid: { publicKey: string; privateKey: string }
}

const sensible = new Set(['HOST', 'PORT', 'DATA_DIR', 'SESSION_TTL', 'LOG_LEVEL'])

/** `.env.example` with fresh secrets. What only people can know and did not say is left empty, and marked. */
export function envFile(chosen: Chosen): string {
  const given: Record<string, string | undefined> = {
    PUBLIC_URL: chosen.publicUrl ?? '',
    ALLOWED_DOMAIN: chosen.domain ?? '',
    OWNER_EMAIL: chosen.owner ?? '',
    SESSION_PASSWORD: chosen.sessionPassword,
    OAUTH_PROVIDER: chosen.provider,
    OAUTH_ISSUER: chosen.issuer ?? (chosen.provider === 'google' ? undefined : ''),
    OAUTH_CLIENT_ID: chosen.clientId ?? '',
    OAUTH_CLIENT_SECRET: '',
    VAPID_PUBLIC_KEY: chosen.vapid.publicKey,
    SIGNING_SECRET: chosen.vapid.privateKey,
  }
  const lines = example.trim().split('\n')
  return `${lines.map(line => settle(line, given)).join('\n')}\n`
}

function settle(line: string, given: Record<string, string | undefined>): string {
  const [, name] = /^([A-Z_]+)=/.exec(line) ?? []
  if (!name) return line
  const value = given[name]
  if (value) return `${name}=${quoted(value)}\n`
  if (value === '') return `# FILL IN:\n${name}=\n`
  return sensible.has(name) ? `${line}\n` : `#${line}\n`
}

const quoted = (text: string) => (/^[^\s#'"]*$/.test(text) ? text : `"${text.replace(/(["\\])/g, '\\$1')}"`)

/** The names that somebody still has to fill in. */
export const blanks = (file: string): string[] =>
  Object.entries(parseEnv(file).values)
    .filter(([, text]) => !text)
    .map(([name]) => name)
