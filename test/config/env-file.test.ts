import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { environment, parseEnv } from '../../server/config/env-file.ts'
import { ConfigFaults } from '../../server/config/faults.ts'
import { publishSettings, withdrawSettings } from '../../server/config/published-settings.ts'
import { readConfig } from '../../server/config/read.ts'
import { names } from '../../server/config/settings.ts'
import { blanks, envFile } from '../../server/config/template.ts'

const home = mkdtempSync(join(tmpdir(), 'faultline-env-'))
afterAll(() => rmSync(home, { recursive: true }))

test('settings files are read with comments, quotes and Windows line ends', () => {
  const { values, faults } = parseEnv(
    [
      '\ufeff# a comment',
      'PLAIN=a value # and why',
      'HASH=pass#word',
      "SINGLE='a # b $C'",
      'DOUBLE="line\\nnext \\"q\\""  # why',
      'EMPTY=',
      'export SHELL_LIKE=1',
      'EQUALS=a=b',
    ].join('\r\n'),
  )
  expect(faults).toEqual([])
  expect(values).toEqual({
    PLAIN: 'a value',
    HASH: 'pass#word',
    SINGLE: 'a # b $C',
    DOUBLE: 'line\nnext "q"',
    EMPTY: '',
    SHELL_LIKE: '1',
    EQUALS: 'a=b',
  })
})

test('every faulty line of a settings file is named, and none of its values', () => {
  const { faults } = parseEnv('no equals\nA=1\nA=2\nB="open secret\n2C=x')
  expect(faults).toHaveLength(4)
  expect(faults.map(fault => fault.message).join()).toMatch(/line 1.*line 3.*line 4.*line 5/s)
  expect(JSON.stringify(faults)).not.toContain('secret')
})

test('the environment wins over the file, also where it gives the other form of a secret', () => {
  const file = join(home, 'a.env')
  writeFileSync(file, 'PORT=1\nHOST=h\nSESSION_PASSWORD=from-file\n')
  const env = environment(file, false, { PORT: '2', SESSION_PASSWORD_FILE: '/run/x', DATA_DIR: home })
  expect(env).toEqual({ PORT: '2', HOST: 'h', SESSION_PASSWORD_FILE: '/run/x', DATA_DIR: home })
})

test('a settings file that cannot be read is a fault of configuration that names it', () => {
  for (const path of [join(home, 'nowhere.env'), home, join(home, 'a.env', 'below')]) {
    expect(() => environment(path)).toThrow(ConfigFaults)
    expect(() => environment(path)).toThrow(`--env-file: ${path} cannot be read (E`)
  }
})

test('beside a running demo its settings fill what is missing, and only beside it', () => {
  const alone = environment(undefined, true, { DATA_DIR: home })
  expect(alone.OWNER_EMAIL).toBeUndefined()
  publishSettings(home, { OWNER_EMAIL: 'owner@example.com', PORT: '3000' })
  expect(environment(undefined, true, { DATA_DIR: home, PORT: '9' })).toMatchObject({
    OWNER_EMAIL: 'owner@example.com',
    PORT: '9',
  })
  expect(environment(undefined, false, { DATA_DIR: home }).OWNER_EMAIL).toBeUndefined()
  const elsewhere = { DATA_DIR: home, DATABASE_URL: 'postgres://elsewhere/x' }
  expect(environment(undefined, true, elsewhere)).toEqual(elsewhere)
  withdrawSettings(home)
  expect(environment(undefined, true, { DATA_DIR: home }).OWNER_EMAIL).toBeUndefined()
})

const chosen = {
  provider: 'google',
  sessionPassword: 'k3J9x0QmZ7pLw2VbN8cRt5YhUf1GdSaE',
  vapid: {
    publicKey: 'BGtkbcjrO12YMoDuq2sCQeHlu47uPx3SHTgFKZFYiBW8Qr0D9vgyZSZPdw6_4ZFEI9Snk1VEAj2qTYI1I1YxBXE',
    privateKey: 'I0_d0vnesxbBSUmlDdOKibGo6vEXRO-Vu88QlSlm5j0',
  },
}

test('the file that init writes knows every setting and marks what is left to fill in', () => {
  const file = envFile(chosen)
  const written = [...file.matchAll(/^#?([A-Z_]+)=/gm)].map(match => match[1]!)
  expect(written).toEqual(names)
  expect(blanks(file)).toEqual([
    'PUBLIC_URL',
    'ALLOWED_DOMAIN',
    'OWNER_EMAIL',
    'OAUTH_CLIENT_ID',
    'OAUTH_CLIENT_SECRET',
  ])
  expect(file.match(/# FILL IN:/g)).toHaveLength(5)
})

test('a file whose blanks are filled in is accepted by the server', () => {
  const file = envFile({
    ...chosen,
    publicUrl: 'https://faultline.example.com',
    domain: 'example.com',
    owner: 'owner@example.com',
    provider: 'acme',
    issuer: 'https://id.example.com',
    clientId: 'an id # with "signs"',
  }).replace('OAUTH_CLIENT_SECRET=', 'OAUTH_CLIENT_SECRET=secret')
  const { values, faults } = parseEnv(file)
  expect(faults).toEqual([])
  const config = readConfig(values)
  expect(config.oauth).toEqual({
    provider: 'acme',
    issuer: 'https://id.example.com',
    clientId: 'an id # with "signs"',
    clientSecret: 'secret',
  })
  expect(config.vapid?.publicKey).toBe(chosen.vapid.publicKey)
})
