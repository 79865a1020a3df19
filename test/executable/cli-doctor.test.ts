import { afterAll, expect, test } from 'bun:test'
import { chmodSync } from 'node:fs'
import postgres from 'postgres'
import { startDemoProvider } from '../../server/demo/provider.ts'
import { executable, faultline, home, onTerminal } from '../support/cli.ts'
import { freshDatabase } from '../support/postgres.ts'

const place = home()
const provider = await startDemoProvider({
  allowedDomain: 'example.com',
  clientId: 'faultline',
  clientSecret: 'secret',
  redirectUri: 'http://localhost:3000/auth/test/callback',
})
afterAll(async () => {
  await provider.stop()
  place.remove()
})

const sound = {
  PUBLIC_URL: 'http://localhost:3000',
  DATA_DIR: place.file('data'),
  ALLOWED_DOMAIN: 'example.com',
  OWNER_EMAIL: 'owner@example.com',
  SESSION_PASSWORD: 'a test password of enough different characters',
  OAUTH_PROVIDER: 'test',
  OAUTH_ISSUER: provider.issuer,
  OAUTH_CLIENT_ID: 'faultline',
  OAUTH_CLIENT_SECRET: 'secret',
}
interface Check {
  name: string
  status: 'ok' | 'warning' | 'fault' | 'skipped'
  said: string
  mend?: string
}

async function examined(env: Record<string, string>, ...args: string[]) {
  const { status, out } = await faultline(['doctor', '--json', ...args], { env, cwd: place.path })
  const { ok, checks } = JSON.parse(out) as { ok: boolean; checks: Check[] }
  expect(status).toBe(ok ? 0 : 1)
  const of = (name: string) => checks.filter(check => check.name === name)
  return { ok, checks, of, faults: checks.filter(check => check.status === 'fault') }
}

test('a sound installation is found sound, before and after its first start', async () => {
  const before = await examined(sound)
  expect(before.faults).toEqual([])
  expect(before.of('database')[0]?.said).toContain('will be made')
  expect(before.of('sign-in')[0]?.said).toContain('http://localhost:3000/auth/test/callback')
  expect((await faultline(['migrate'], { env: sound })).status).toBe(0)
  const after = await examined(sound)
  expect(after.faults).toEqual([])
  expect(after.of('schema')[0]?.said).toContain('this version')
})

test('every check runs although all before it failed, and each fault names its mend', async () => {
  await Bun.write(place.file('bad.svg'), '<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>')
  const { ok, faults, of } = await examined({
    ...sound,
    PUBLIC_URL: 'http://faultline.example.com',
    SESSION_PASSWORD: 'short',
    OWNER_EMAIL: 'owner@elsewhere.example',
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
    BOARD_FILE: place.file('bad.svg'),
    OAUTH_ISSUER: 'http://127.0.0.1:1',
  })
  expect(ok).toBe(false)
  for (const name of ['settings', 'database', 'board', 'sign-in'])
    expect([name, of(name)[0]?.status]).toEqual([name, 'fault'])
  expect(
    of('settings')
      .map(check => check.said.replace(/:.*/s, ''))
      .toSorted(),
  ).toEqual(['OWNER_EMAIL', 'PUBLIC_URL', 'SESSION_PASSWORD'])
  for (const fault of faults) expect(fault.mend).toBeTruthy()
  expect(JSON.stringify(faults)).not.toContain('short')
})

test('a file that cannot be used is named with its mend', async () => {
  await Bun.write(place.file('file'), 'not a folder')
  const { faults } = await examined({ ...sound, DATA_DIR: place.file('file/data'), BOARD_FILE: place.path })
  expect(faults).toMatchObject([
    {
      name: 'database',
      said: expect.stringContaining('file/data cannot be used (ENOTDIR)'),
      mend: 'correct the path',
    },
    { name: 'board', said: expect.stringContaining(`${place.path} cannot be read`), mend: 'name a file' },
  ])
})

test('faults of one kind leave the other checks their say', async () => {
  const { SESSION_PASSWORD: _, ...rest } = sound
  const { faults, of } = await examined(rest)
  expect(faults.map(fault => fault.name)).toEqual(['settings'])
  expect(of('sign-in')[0]?.status).toBe('ok')
  expect(of('database')[0]?.status).toBe('ok')
})

test('PostgreSQL is looked at for its version, its encoding and its schema', async () => {
  const { url, drop } = await freshDatabase()
  const env = { ...sound, DATABASE_URL: url }
  const fresh = await examined(env)
  expect(fresh.faults).toEqual([])
  expect(fresh.of('database')[0]?.said).toMatch(/^PostgreSQL \d+/)
  expect(fresh.of('schema')[0]?.said).toContain('pending')

  await faultline(['migrate'], { env })
  const sql = postgres(url, { onnotice: () => {} })
  await sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('later', 99999999999999)`
  const later = await examined(env)
  expect(later.of('schema')[0]).toMatchObject({ status: 'fault', said: 'newer than this program' })
  expect((await faultline(['counts'], { env })).status).toBe(4)
  expect((await faultline(['serve'], { env: { ...env, PORT: '3999' } })).status).toBe(4)

  await sql`drop database if exists latin`
  const name = `latin_${process.pid}`
  await sql.unsafe(
    `create database ${name} encoding 'SQL_ASCII' lc_collate 'C' lc_ctype 'C' template template0`,
  )
  const ascii = await examined({ ...env, DATABASE_URL: url.replace(/[^/]+$/, name) })
  expect(ascii.of('database')[0]?.said).toContain('SQL_ASCII')
  await sql.unsafe(`drop database ${name}`)
  await sql.end()
  await drop()
})

test('a role without rights and a limit of few open files are told with their mends', async () => {
  const { url, drop } = await freshDatabase()
  await faultline(['migrate'], { env: { DATABASE_URL: url } })
  const sql = postgres(url, { onnotice: () => {} })
  const role = `reader_${process.pid}`
  await sql.unsafe(`create role ${role} login`)
  const env = { ...sound, DATABASE_URL: url.replace('postgres@', `${role}@`) }
  const limited = ['sh', '-c', 'ulimit -n 256; exec "$0" doctor --json', executable]
  const { checks } = (await new Response(Bun.spawn(limited, { env }).stdout).json()) as { checks: Check[] }
  expect(checks).toContainEqual({
    name: 'database',
    status: 'fault',
    said: `${role} may not look into drizzle`,
    mend: `grant usage on schema drizzle to ${role}`,
  })
  expect(checks.find(check => check.name === 'machine')).toMatchObject({
    status: 'warning',
    said: expect.stringContaining('256 files'),
  })
  await sql.unsafe(`drop role ${role}`)
  await sql.end()
  await drop()
})

test('a PostgreSQL that only reads is a fault, with what to do', async () => {
  const { url, drop } = await freshDatabase()
  const sql = postgres(url, { onnotice: () => {} })
  await sql.unsafe(`alter database ${new URL(url).pathname.slice(1)} set default_transaction_read_only = on`)
  await sql.end()
  const { faults } = await examined({ ...sound, DATABASE_URL: url })
  expect(faults).toMatchObject([{ name: 'database', said: expect.stringContaining('only reads') }])
  expect(faults[0]?.mend).toContain('default_transaction_read_only')
  await drop()
})

test('a provider that speaks for another issuer is a fault', async () => {
  const { of } = await examined({ ...sound, OAUTH_ISSUER: `${provider.issuer}/` })
  expect(of('sign-in')[0]).toMatchObject({ status: 'fault', mend: expect.stringContaining('OAUTH_ISSUER') })
})

test('settings that others may read are a fault', async () => {
  const file = place.file('open.env')
  await Bun.write(
    file,
    Object.entries(sound)
      .map(([name, value]) => `${name}="${value}"`)
      .join('\n'),
  )
  chmodSync(file, 0o644)
  expect((await examined({}, '--env-file', file)).faults).toMatchObject([{ mend: `chmod 600 ${file}` }])
  chmodSync(file, 0o600)
  expect((await examined({}, '--env-file', file)).faults).toEqual([])
})

test('a key pair that does not belong together is named by what it is', async () => {
  const [one, other] = [place.file('one.env'), place.file('two.env')]
  for (const file of [one, other]) await faultline(['init', file])
  const key = async (file: string, name: string) =>
    new RegExp(`^${name}=(.+)$`, 'm').exec(await Bun.file(file).text())?.[1] ?? ''
  const { faults, of } = await examined({
    ...sound,
    VAPID_PUBLIC_KEY: await key(one, 'VAPID_PUBLIC_KEY'),
    SIGNING_SECRET: await key(other, 'SIGNING_SECRET'),
  })
  expect(faults).toMatchObject([{ said: expect.stringContaining('SIGNING_SECRET') }])
  expect(of('push keys')[0]?.status).toBe('skipped')
})

test('push services are asked only when push is on', async () => {
  expect((await examined(sound)).of('push services')[0]?.status).toBe('skipped')
})

test('on a terminal the faults stand out and the lines fit', async () => {
  const { status, screen } = await onTerminal(['doctor'], {
    env: { ...sound, SESSION_PASSWORD: '' },
    columns: 72,
  })
  expect(status).toBe(1)
  expect(screen).toContain('\x1b[31mFAULT')
  expect(screen).toContain('→ ')
  for (const line of screen.split('\n')) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(72)
})
