import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '../../server/db/database.ts'
import { executable, faultline, home, seed } from '../support/cli.ts'
import { freshDatabase } from '../support/postgres.ts'

const place = home()
const embedded = { DATA_DIR: place.file('data') }
let postgres: { DATABASE_URL: string }
let drop: () => Promise<void>

beforeAll(async () => {
  const database = await freshDatabase()
  drop = database.drop
  postgres = { DATABASE_URL: database.url }
  for (const env of [embedded, postgres]) expect((await faultline(['migrate'], { env })).status).toBe(0)
  const db = connect({ kind: 'postgres', url: database.url })
  await seed(db, 500)
  await db.close()
  await Bun.write(place.file('file'), 'a file, not a folder')
  mkdirSync(place.file('folder'))
})
afterAll(async () => {
  await drop()
  place.remove()
})

/** Exit status 1 and one line that names the file. */
async function fault(args: string[], env: Record<string, string>, said: RegExp) {
  const { status, out, err } = await faultline(args, { env, cwd: place.path })
  expect({ status, out, err }).toEqual({ status: 1, out: '', err: expect.stringMatching(said) })
  expect(err.trim().split('\n')).toHaveLength(1)
}

describe.each(['embedded', 'postgres'] as const)('a backup of %s', kind => {
  const env = () => (kind === 'embedded' ? embedded : postgres)

  test.each([
    [
      'into a folder that is not there',
      'nowhere/b.gz',
      /^faultline: nowhere\/b\.gz cannot be written \(ENOENT\): its folder is not there; make/,
    ],
    ['below a file', 'file/b.gz', /^faultline: file\/b\.gz cannot be written \(ENOTDIR\)/],
    ['over a folder', 'folder', /^faultline: folder cannot be written because it is a folder/],
    ['over a device', '/dev/full', /^faultline: \/dev\/full cannot be written because/],
  ])('%s is a fault of the file, not of the database', async (_, file, said) => {
    await fault(['backup', file], env(), said)
  })
})

test('a backup for which no room is left says so and leaves nothing behind', async () => {
  const before = readdirSync(place.path)
  const { status, err } = await cramped(['backup', 'cramped.gz'], postgres)
  expect({ status, err }).toEqual({
    status: 1,
    err: expect.stringMatching(/^faultline: cramped\.gz cannot be written \(E\w+\): no room/),
  })
  expect(readdirSync(place.path)).toEqual(before)
})

test('settings for which no room is left are not written by half', async () => {
  const { status, err } = await cramped(['init', 'cramped.env'], {})
  expect({ status, err }).toEqual({
    status: 1,
    err: expect.stringMatching(/^faultline: cramped\.env cannot be written \(E\w+\): no room/),
  })
  expect(existsSync(place.file('cramped.env'))).toBe(false)
})

test('an embedded database for which no room is left says so, and is made once there is room', async () => {
  const env = { DATA_DIR: place.file('cramped-data') }
  const { status, err } = await cramped(['migrate'], env)
  expect({ status, err }).toEqual({
    status: 1,
    err: expect.stringMatching(/cramped-data cannot be used because .* cannot be written there; make room/),
  })
  expect((await faultline(['migrate'], { env })).status).toBe(0)
})

/** With room for no more than 1 KiB in any file. */
async function cramped(args: string[], env: Record<string, string>) {
  const child = Bun.spawn(['bash', '-c', 'trap "" XFSZ; ulimit -f 1; exec "$0" "$@"', executable, ...args], {
    cwd: place.path,
    env: { PATH: process.env.PATH ?? '', ...env },
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const err = await new Response(child.stderr).text()
  return { status: await child.exited, err }
}

test.each([
  ['restore', 'nowhere/b.gz', /nowhere\/b\.gz cannot be read \(ENOENT\)/],
  ['restore', 'folder', /folder cannot be read \(EISDIR\)/],
  ['restore', 'file/b.gz', /file\/b\.gz cannot be read \(ENOTDIR\)/],
  ['init', 'nowhere/new.env', /nowhere\/new\.env cannot be written \(ENOENT\): its folder is not there/],
  ['init', 'file/new.env', /file\/new\.env cannot be written \(ENOTDIR\)/],
])('%s %s names the file', async (command, file, said) => {
  await fault([command, file], embedded, said)
})

test.each(['nowhere.svg', 'folder', 'file/own.svg'])('BOARD_FILE=%s is a fault of that file', async file => {
  await fault(
    ['counts'],
    { ...embedded, BOARD_FILE: file },
    new RegExp(`^faultline: ${file} cannot be read `),
  )
})

test.each([
  ['counts', 'file'],
  ['counts', 'file/data'],
  ['migrate', 'file/data'],
  ['demo', 'file'],
  ['demo', 'file/data'],
])('%s with DATA_DIR=%s names the directory', async (command, directory) => {
  await fault(
    [command],
    { DATA_DIR: directory },
    new RegExp(`^faultline: ${directory}\\S* cannot be used \\(E`),
  )
})

test('a settings file or a secret that cannot be read is a fault of configuration, told with all others', async () => {
  const env = { SESSION_PASSWORD_FILE: place.file('folder'), PORT: 'none' }
  const { status, err } = await faultline(['serve'], { env, cwd: place.path })
  expect(status).toBe(2)
  expect(err).toMatch(
    /^faultline: SESSION_PASSWORD_FILE: the file cannot be read \(EISDIR\): it is a folder/m,
  )
  expect(err).toMatch(/^faultline: PORT: is not valid/m)
  const named = await faultline(['counts', '--env-file', 'folder'], { cwd: place.path })
  expect(named).toMatchObject({
    status: 2,
    err: expect.stringMatching(/--env-file: folder cannot be read \(EISDIR\)/),
  })
})

describe('a user without the right', () => {
  const outside = mkdtempSync(join(tmpdir(), 'faultline-rights-'))
  const program = join(outside, 'faultline')
  const closed = join(outside, 'closed')

  beforeAll(() => {
    chmodSync(outside, 0o755)
    copyFileSync(executable, program)
    chmodSync(program, 0o755)
    mkdirSync(closed)
    chmodSync(closed, 0o500)
  })
  afterAll(() => rmSync(outside, { recursive: true }))

  /** As nobody, when the tests run as root, whom no right stops. */
  async function unprivileged(args: string[], env: Record<string, string>) {
    const child = Bun.spawn([program, ...args], {
      cwd: outside,
      env: { PATH: process.env.PATH ?? '', ...env },
      stdout: 'ignore',
      stderr: 'pipe',
      ...(process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}),
    })
    const err = await new Response(child.stderr).text()
    return { status: await child.exited, err }
  }

  test.each([
    ['backup', [join(closed, 'b.gz')], /b\.gz cannot be written \(EACCES\): this user may not/],
    ['init', [join(closed, 'new.env')], /new\.env cannot be written \(EACCES\): this user may not/],
  ])('is told so by %s', async (command, args, said) => {
    const { status, err } = await unprivileged([command, ...args], postgres)
    expect({ status, err }).toEqual({ status: 1, err: expect.stringMatching(said) })
  })

  test.each(['migrate', 'demo'])('is told so by %s, of DATA_DIR', async command => {
    const { status, err } = await unprivileged([command], { DATA_DIR: closed })
    expect({ status, err }).toEqual({
      status: 1,
      err: expect.stringMatching(/closed\S* cannot be used \(\w+\): this user may not/),
    })
  })
})
