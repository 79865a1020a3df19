import { parseEnv } from './env-file.ts'
import { type Name, names, settingOf } from './settings.ts'

const HEAD =
  "# Faultline's settings. Any secret may come from a file instead: SESSION_PASSWORD_FILE=/run/secrets/session"

/** `.env.example`: every setting with what it is. */
export const exampleFile = () => written(name => `${name}=${shown(name)}`)

/** The table in `docs/settings.md`. */
export const settingsTable = () =>
  ['| name | meaning | default |', '|---|---|---|', ...names.map(row)].join('\n')

function row(name: Name): string {
  const { about, default: usual, absent, readBy } = settingOf(name)
  const without = readBy.serve === 'required' ? 'required' : (absent ?? `\`${usual}\``)
  return `| \`${name}\` | ${about} | ${without} |`
}

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

/** A settings file with fresh secrets. What only people can know and did not say is left empty, and marked. */
export function envFile(chosen: Chosen): string {
  const given: Partial<Record<Name, string>> = {
    PUBLIC_URL: chosen.publicUrl ?? '',
    ALLOWED_DOMAIN: chosen.domain ?? '',
    OWNER_EMAIL: chosen.owner ?? '',
    SESSION_PASSWORD: chosen.sessionPassword,
    OAUTH_PROVIDER: chosen.provider,
    ...(chosen.provider !== 'google' || chosen.issuer ? { OAUTH_ISSUER: chosen.issuer ?? '' } : {}),
    OAUTH_CLIENT_ID: chosen.clientId ?? '',
    OAUTH_CLIENT_SECRET: '',
    VAPID_PUBLIC_KEY: chosen.vapid.publicKey,
    SIGNING_SECRET: chosen.vapid.privateKey,
  }
  return written(name => {
    const value = given[name]
    if (value === '') return `# FILL IN:\n${name}=\n`
    if (value) return `${name}=${quoted(value)}\n`
    return settingOf(name).default ? `${name}=${shown(name)}\n` : `#${name}=${shown(name)}\n`
  })
}

const written = (line: (name: Name) => string) =>
  [HEAD, ...names.flatMap(name => [`# ${settingOf(name).about.replaceAll('`', '')}`, line(name)]), ''].join(
    '\n',
  )

const shown = (name: Name) => settingOf(name).default ?? settingOf(name).example ?? ''
const quoted = (text: string) => (/^[^\s#'"]*$/.test(text) ? text : `"${text.replace(/(["\\])/g, '\\$1')}"`)

/** The names that somebody still has to fill in. */
export const blanks = (file: string): string[] =>
  Object.entries(parseEnv(file).values)
    .filter(([, text]) => !text)
    .map(([name]) => name)
