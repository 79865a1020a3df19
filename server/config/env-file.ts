import { readFileSync } from 'node:fs'
import { UsageFault } from '../../cli/terminal/faults.ts'
import { demoSettings } from '../demo/settings.ts'
import type { Env } from './settings.ts'

/** The environment; then the file named by --env-file; then, beside a running demo, what the demo says. */
export function environment(envFile?: string, besideDemo = true, own: Env = process.env): Env {
  const named = envFile ? fill(own, readEnvFile(envFile)) : { ...own }
  if (!besideDemo || named.DATABASE_URL || named.DATABASE_URL_FILE) return named
  return fill(named, demoSettings(named.DATA_DIR))
}

/** Only what is not there yet, neither as a value nor as NAME_FILE. */
function fill(own: Env, more: Record<string, string>): Env {
  const twin = (name: string) => (name.endsWith('_FILE') ? name.slice(0, -5) : `${name}_FILE`)
  const missing = Object.entries(more).filter(
    ([name]) => own[name] === undefined && own[twin(name)] === undefined,
  )
  return { ...own, ...Object.fromEntries(missing) }
}

function readEnvFile(path: string): Record<string, string> {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw new UsageFault([`--env-file: ${path} cannot be read (${(error as { code?: string }).code})`])
  }
  const { values, faults } = parseEnv(text)
  if (faults.length) throw new UsageFault(faults.map(fault => `${path}: ${fault}`))
  return values
}

/** NAME=value, one a line; quotes are optional, nothing is expanded. Faults name the line, never the value. */
export function parseEnv(text: string): { values: Record<string, string>; faults: string[] } {
  const values: Record<string, string> = {}
  const faults: string[] = []
  for (const [index, raw] of text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .entries()) {
    const line = raw.trim()
    if (!line || line.startsWith('#')) continue
    const at = `line ${index + 1}`
    const [, name, rest] = /^(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)=(.*)$/.exec(line) ?? []
    if (!name) faults.push(`${at} is not NAME=value`)
    else if (Object.hasOwn(values, name)) faults.push(`${at} sets ${name} a second time`)
    else {
      const value = unquote(rest ?? '')
      if (value === undefined) faults.push(`${at}: the quotes around ${name} are not closed`)
      else values[name] = value
    }
  }
  return { values, faults }
}

const escapes: Record<string, string> = { n: '\n', r: '\r', t: '\t' }

function unquote(text: string): string | undefined {
  const value = text.trim()
  const single = /^'([^']*)'\s*(?:#.*)?$/.exec(value)
  if (single) return single[1]
  const double = /^"((?:[^"\\]|\\.)*)"\s*(?:#.*)?$/.exec(value)
  if (double) return double[1]?.replace(/\\(.)/g, (_, c: string) => escapes[c] ?? c)
  if (/^['"]/.test(value)) return undefined
  return value.replace(/(^|\s+)#.*$/, '')
}
