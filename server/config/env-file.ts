import { fileFault } from '../file-fault.ts'
import { ConfigFaults, fileVariable, type SettingFault } from './faults.ts'
import { publishedSettings } from './published-settings.ts'
import { type Env, names, settingOf } from './settings.ts'
import { readShort } from './short-file.ts'

/** The environment; then the file named by --env-file; then, beside a running demo, what the demo says. */
export function environment(envFile?: string, besideDemo = true, own: Env = process.env): Env {
  const named = envFile ? fill(own, readEnvFile(envFile)) : { ...own }
  if (!besideDemo || named.DATABASE_URL || named.DATABASE_URL_FILE) return named
  return fill(named, publishedSettings(named.DATA_DIR))
}

/** Either form of a secret stands for the other. */
const otherForm: Record<string, string> = Object.fromEntries(
  names
    .filter(name => settingOf(name).secret)
    .flatMap(name => [
      [name, fileVariable(name)],
      [fileVariable(name), name],
    ]),
)

/** Only what is not there yet. */
function fill(own: Env, more: Record<string, string>): Env {
  const missing = Object.entries(more).filter(
    ([name]) => own[name] === undefined && own[otherForm[name] ?? name] === undefined,
  )
  return { ...own, ...Object.fromEntries(missing) }
}

function readEnvFile(path: string): Record<string, string> {
  let text: string
  try {
    text = readShort(path)
  } catch (error) {
    const fault = fileFault(error, path, 'read')
    if (!fault) throw error
    throw new ConfigFaults([{ setting: '--env-file', message: fault.said, fix: fault.fix }])
  }
  const { values, faults } = parseEnv(text)
  if (faults.length) throw new ConfigFaults(faults.map(fault => ({ ...fault, setting: path })))
  return values
}

/** NAME=value, one a line; quotes are optional, nothing is expanded. Faults name the line, never the value. */
export function parseEnv(text: string) {
  const values: Record<string, string> = {}
  const faults: Omit<SettingFault, 'setting'>[] = []
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/)
  for (const [index, line] of lines.map(line => line.trim()).entries()) {
    if (!line || line.startsWith('#')) continue
    const at = `line ${index + 1}`
    const [, name, rest] = /^(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)=(.*)$/.exec(line) ?? []
    if (!name) faults.push({ message: `${at} is not NAME=value`, fix: 'correct it, or put # before it' })
    else if (Object.hasOwn(values, name))
      faults.push({ message: `${at} sets ${name} a second time`, fix: 'keep one of them' })
    else {
      const value = unquote(rest ?? '')
      if (value === undefined)
        faults.push({ message: `${at}: the quotes around ${name} are not closed`, fix: 'close them' })
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
