import { describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import webPush from 'web-push'
import { ConfigFaults, type SettingFault } from '../../server/config/faults.ts'
import { readConfig, readDataConfig, readPushConfig } from '../../server/config/read.ts'
import { type Env, names, settingOf } from '../../server/config/settings.ts'
import { exampleFile } from '../../server/config/template.ts'

const pair = webPush.generateVAPIDKeys()
const good: Env = {
  PUBLIC_URL: 'https://faultline.example.com',
  ALLOWED_DOMAIN: 'Example.com',
  OWNER_EMAIL: 'Owner@example.com',
  SESSION_PASSWORD: 'correct horse battery staple, and more',
  OAUTH_CLIENT_ID: 'id',
  OAUTH_CLIENT_SECRET: 'secret',
}

function faultsOf(env: Env, read: (env: Env) => unknown = readConfig): SettingFault[] {
  try {
    read(env)
    return []
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigFaults)
    return (error as ConfigFaults).faults
  }
}

test('defaults fill what is left out', () => {
  expect(readConfig(good)).toMatchObject({
    publicUrl: 'https://faultline.example.com',
    host: '127.0.0.1',
    port: 3000,
    dataDir: './faultline-data',
    allowedDomain: 'example.com',
    ownerEmail: 'owner@example.com',
    session: { ttlSeconds: 7 * 86_400 },
    oauth: { provider: 'google', issuer: 'https://accounts.google.com' },
    pushHosts: [],
  })
})

test('a port is shared by servers on a PostgreSQL alone', () => {
  const DATABASE_URL = 'postgres://faultline@localhost/faultline'
  expect(readConfig({ ...good, REUSE_PORT: 'true', DATABASE_URL }).reusePort).toBe(true)
  expect(faultsOf({ ...good, REUSE_PORT: 'true' })).toEqual([
    {
      setting: 'REUSE_PORT',
      message: 'needs a PostgreSQL',
      fix: 'set DATABASE_URL: the embedded database belongs to one server',
    },
  ])
  expect(faultsOf({ ...good, REUSE_PORT: 'yes' }).map(fault => fault.setting)).toEqual(['REUSE_PORT'])
})

test('the configuration is frozen through and through', () => {
  const config = readConfig(good)
  expect(
    Object.isFrozen(config) && Object.isFrozen(config.session) && Object.isFrozen(config.pushHosts),
  ).toBe(true)
})

test('all faults are told at once, each with its variable', () => {
  const faults = faultsOf({ PUBLIC_URL: 'http://faultline.example.com', PORT: '70000', SESSION_TTL: 'soon' })
  expect(faults.map(fault => fault.setting).sort()).toEqual([
    'ALLOWED_DOMAIN',
    'OAUTH_CLIENT_ID',
    'OAUTH_CLIENT_SECRET',
    'OWNER_EMAIL',
    'PORT',
    'PUBLIC_URL',
    'SESSION_PASSWORD',
    'SESSION_TTL',
  ])
})

test('a message never holds a value', () => {
  const hidden = 'VERYHIDDEN'
  const bad = Object.fromEntries(names.map(name => [name, ` ${hidden}\u0000 `]))
  const faults = faultsOf(bad)
  expect(faults.length).toBeGreaterThan(15)
  expect(JSON.stringify(faults)).not.toContain(hidden)
})

describe('what each setting takes', () => {
  const refused: [string, string][] = [
    ['PUBLIC_URL', 'http://faultline.example.com'],
    ['PUBLIC_URL', 'https://faultline.example.com/path'],
    ['PUBLIC_URL', 'https://user@faultline.example.com'],
    ['PUBLIC_URL', 'faultline.example.com'],
    ['DATABASE_POOL', '1'],
    ['DATABASE_POOL', '1001'],
    ['DATABASE_POOL', 'ten'],
    ['PORT', '0'],
    ['PORT', 'abc'],
    ['PORT', '70000'],
    ['HOST', 'unix:faultline.sock'],
    ['HOST', `unix:/${'a'.repeat(104)}`],
    ['PORT', '80.5'],
    ['DATABASE_URL', 'mysql://localhost/x'],
    ['ALLOWED_DOMAIN', 'example'],
    ['ALLOWED_DOMAIN', '@example.com'],
    ['ALLOWED_DOMAIN', 'example.com,evil.test'],
    ['OWNER_EMAIL', 'owner@elsewhere.com'],
    ['OWNER_EMAIL', ' owner@example.com'],
    ['OWNER_EMAIL', `${'o'.repeat(65)}@example.com`],
    ['OWNER_EMAIL', 'owner@example.com,other@example.com'],
    ['SESSION_PASSWORD', 'short'],
    ['SESSION_PASSWORD', 'a'.repeat(40)],
    ['SESSION_TTL', '7'],
    ['SESSION_TTL', '0d'],
    ['SESSION_TTL', '401d'],
    ['OAUTH_PROVIDER', 'Google'],
    ['OAUTH_PROVIDER', 'logout'],
    ['OAUTH_ISSUER', 'http://issuer.example.com'],
    ['OAUTH_ISSUER', 'https://issuer.example.com?x=1'],
    ['PUSH_HOSTS', 'https://push.example.com'],
    ['LOG_LEVEL', 'loud'],
    ['LOG_FORMAT', 'xml'],
    ['VAPID_PUBLIC_KEY', 'abc'],
  ]
  test.each(refused)('%s=%s is refused', (name, value) => {
    expect(faultsOf({ ...good, [name]: value }).some(fault => fault.setting === name)).toBe(true)
  })

  const taken: [string, string][] = [
    ['PUBLIC_URL', 'http://localhost:3000'],
    ['PUBLIC_URL', 'http://127.0.0.1:8080/'],
    ['SESSION_TTL', '12h'],
    ['OAUTH_ISSUER', 'https://login.microsoftonline.com/tenant/v2.0'],
    ['OAUTH_ISSUER', 'http://127.0.0.1:4000'],
    ['DATABASE_URL', 'postgresql://u:p@db.internal/faultline'],
    ['PUSH_HOSTS', 'push.example.com, 127.0.0.1:9090'],
    ['HOST', '::'],
    ['HOST', 'unix:/run/faultline/http.sock'],
  ]
  test.each(taken)('%s=%s is taken', (name, value) => {
    expect(faultsOf({ ...good, [name]: value })).toEqual([])
  })

  test('servers that share a port cannot do so on a unix socket', () => {
    const shared = { ...good, REUSE_PORT: 'true', DATABASE_URL: 'postgres://db/faultline' }
    expect(faultsOf({ ...shared, HOST: 'unix:/run/faultline/http.sock' })).toMatchObject([
      { setting: 'REUSE_PORT', message: 'is for ports, and HOST is a unix socket' },
    ])
  })

  test('another provider than Google needs its issuer', () => {
    expect(faultsOf({ ...good, OAUTH_PROVIDER: 'entra' })[0]?.setting).toBe('OAUTH_ISSUER')
  })
})

describe('the VAPID pair', () => {
  test('belongs together', () => {
    const other = webPush.generateVAPIDKeys()
    const keys = { VAPID_PUBLIC_KEY: pair.publicKey, SIGNING_SECRET: pair.privateKey }
    expect(readConfig({ ...good, ...keys }).vapid).toEqual(pair)
    const [fault] = faultsOf({ ...good, ...keys, SIGNING_SECRET: other.privateKey })
    expect(fault).toEqual({
      setting: 'SIGNING_SECRET',
      message: 'must be the VAPID private key that belongs to VAPID_PUBLIC_KEY',
      fix: '`faultline init` makes a pair',
    })
  })

  test('is whole or absent', () => {
    expect(faultsOf({ ...good, VAPID_PUBLIC_KEY: pair.publicKey })[0]?.setting).toBe('SIGNING_SECRET')
    expect(faultsOf({ ...good, SIGNING_SECRET: pair.privateKey })[0]?.setting).toBe('VAPID_PUBLIC_KEY')
    expect(readConfig(good).vapid).toBeUndefined()
  })
})

describe('a secret in a file', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'faultline-secret-')), 'password')
  writeFileSync(file, 'a password from a file, long enough\n')

  test('is read without its line end', () => {
    const env = { ...good, SESSION_PASSWORD: undefined, SESSION_PASSWORD_FILE: file }
    expect(readConfig(env).session.password).toBe('a password from a file, long enough')
  })

  test('and in the environment at once is a fault', () => {
    expect(faultsOf({ ...good, SESSION_PASSWORD_FILE: file })[0]).toEqual({
      setting: 'SESSION_PASSWORD',
      message: 'is set twice',
      fix: 'keep either SESSION_PASSWORD or SESSION_PASSWORD_FILE',
    })
  })

  test.each([
    ['is not there', '/nowhere/secret', /ENOENT/],
    ['is a folder', dirname(file), /EISDIR.*it is a folder/],
    ['lies below a file', join(file, 'secret'), /ENOTDIR.*a part of its path is a file/],
    ['has no end', '/dev/zero', /larger than 64 KiB/],
  ])('that %s is a fault that says so and names the variable, not the path', (_, path, said) => {
    const env = { ...good, SESSION_PASSWORD: undefined, SESSION_PASSWORD_FILE: path }
    const faults = faultsOf(env)
    expect(faults).toMatchObject([{ setting: 'SESSION_PASSWORD_FILE', message: expect.stringMatching(said) }])
    expect(JSON.stringify(faults)).not.toContain(path)
  })
})

test('data commands need only the database, push commands also the owner and the pair', () => {
  expect(readDataConfig({})).toMatchObject({ dataDir: './faultline-data' })
  expect(faultsOf({ SESSION_TTL: 'never' }, readDataConfig)).toEqual([])
  expect(faultsOf({}, readPushConfig).map(fault => fault.setting)).toEqual([
    'OWNER_EMAIL',
    'VAPID_PUBLIC_KEY',
    'SIGNING_SECRET',
  ])
})

test('.env.example is written from the settings', () => {
  expect(readFileSync(join(import.meta.dir, '../../.env.example'), 'utf8')).toBe(exampleFile())
})

test('every default and every example is one that the setting takes', () => {
  const shown = names.flatMap(name => {
    const { default: usual, example } = settingOf(name)
    return [usual, example].flatMap(value => (value === undefined ? [] : [{ name, value }]))
  })
  expect(shown.length).toBeGreaterThan(8)
  expect(shown.filter(({ name, value }) => !settingOf(name).isValid(value))).toEqual([])
})
