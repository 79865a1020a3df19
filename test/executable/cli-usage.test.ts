import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { version } from '../../package.json'
import { executable, faultline, home, onTerminal } from '../support/cli.ts'

const place = home()
afterAll(() => place.remove())
const here = { cwd: place.path, env: { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' } }

const commands = [
  'serve',
  'demo',
  'init',
  'doctor',
  'board check',
  'board edit',
  'board sections',
  'migrate',
  'healthcheck',
  'systemd',
  'completion',
  'counts',
  'feed',
  'tail',
  'projects',
  'push test',
  'push status',
  'backup',
  'restore',
  'version',
]

test.each(commands)('`%s --help` explains itself with an example and opens nothing', async name => {
  for (const args of [
    [...name.split(' '), '--help'],
    ['help', ...name.split(' ')],
  ]) {
    const { status, out, err } = await faultline(args, here)
    expect({ status, err }).toEqual({ status: 0, err: '' })
    expect(out).toContain(`Usage: faultline ${name}`)
    expect(out).toMatch(/Examples?:\n {2}\$ faultline /)
  }
})

test('help lists every command', async () => {
  const { status, out } = await faultline(['help'], here)
  expect(status).toBe(0)
  for (const name of commands) expect(out).toMatch(new RegExp(`^ {2}${name.split(' ')[0]}\\b`, 'm'))
})

test('the version is told in every way that people try', async () => {
  for (const args of [['--version'], ['-v']]) expect((await faultline(args, here)).out).toBe(`${version}\n`)
  expect((await faultline(['version'], here)).out).toBe(`faultline ${version}\n`)
  expect(JSON.parse((await faultline(['version', '--json'], here)).out)).toEqual({
    version,
    commit: expect.stringMatching(/^(unknown|[0-9a-f]{40}(-dirty)?)$/),
    target: `${process.platform}-${process.arch}`,
    bun: Bun.version,
  })
})

test.each([
  ['faultline.service', [], 'DATA_DIR=/var/lib/faultline'],
  ['faultline@.service', ['--template'], 'REUSE_PORT=true'],
])('the unit %s is one that systemd takes', async (name, options, environment) => {
  const { status, out } = await faultline(['systemd', ...options], here)
  expect(status).toBe(0)
  expect(out).toContain(`\nEnvironment=${environment}\n`)
  expect(out).toContain('\nExecStart=/usr/local/bin/faultline serve --env-file /etc/faultline/env\n')
  if (!Bun.which('systemd-analyze')) return
  const unit = place.file(name)
  await Bun.write(unit, out.replaceAll('/usr/local/bin/faultline', executable))
  const verified = Bun.spawnSync(['systemd-analyze', 'verify', unit])
  expect({ status: verified.exitCode, said: verified.stderr.toString() }).toEqual({ status: 0, said: '' })
})

test.each(['bash', 'zsh', 'fish'])('a completion for %s knows the commands', async shell => {
  const { status, out, err } = await faultline(['completion', shell], here)
  expect({ status, err }).toEqual({ status: 0, err: '' })
  for (const name of ['healthcheck', 'status', '--env-file']) expect(out).toContain(name.replace('--', ''))
})

test('the manual page holds every command', async () => {
  const { status, out } = await faultline(['help', '--man'], here)
  expect(status).toBe(0)
  for (const name of commands) expect(out).toContain(`.SS "faultline ${name}`)
})

const mistakes: [args: string[], said: RegExp][] = [
  [['conts'], /unknown command 'conts'\n\(Did you mean counts\?\)/],
  [['help', 'fed'], /Did you mean feed\?/],
  [['push', 'tset'], /Did you mean test\?/],
  [['counts', '--jsn'], /Did you mean --json\?/],
  [['counts', 'extra'], /too many arguments/],
  [['counts', '--since', '7'], /like 7d/],
  [['counts', '--since', '367d'], /from 1d to 366d/],
  [['feed', '-n', '0'], /whole number from 1/],
  [['feed', '-n', '1e3'], /whole number/],
  [['tail', '-n', '-1'], /whole number/],
  [['backup'], /missing required argument/],
  [['backup', '-'], /name a file/],
  [['--env-file', 'nowhere.env', 'counts'], /nowhere\.env cannot be read/],
  [['completion', 'csh'], /Allowed choices are bash, zsh, fish/],
  [[], /Usage: faultline/],
]

test.each(mistakes)('%j is a mistake of usage, and the nearest right thing is named', async (args, said) => {
  const { status, out, err } = await faultline(args, here)
  expect({ status, out }).toEqual({ status: 2, out: '' })
  expect(err).toMatch(said)
})

test('what is typed wrongly cannot steer the terminal either', async () => {
  const { screen } = await onTerminal(['\x1b[31mcounts\x1b]0;x\x07'], here)
  expect(screen).not.toMatch(/(?!\n)\p{Cc}/u)
})

test('faulty settings are all named at once, without their values', async () => {
  const env = { DATABASE_URL: 'mysql://secret', LOG_LEVEL: 'loud-secret' }
  const { status, err } = await faultline(['counts'], { cwd: place.path, env })
  expect(status).toBe(2)
  expect(err).toMatch(/DATABASE_URL.*\n.*LOG_LEVEL/)
  expect(err).not.toContain('secret')
})

test('serve names all that it needs', async () => {
  const { status, err } = await faultline(['serve'], { cwd: place.path })
  expect(status).toBe(2)
  for (const name of ['PUBLIC_URL', 'ALLOWED_DOMAIN', 'OWNER_EMAIL', 'SESSION_PASSWORD', 'OAUTH_CLIENT_ID']) {
    expect(err).toContain(name)
  }
})

test('a database that cannot be reached is exit status 3, also by its file of settings', async () => {
  expect((await faultline(['counts'], here)).status).toBe(3)
  await Bun.write(place.file('far.env'), 'DATABASE_URL=postgres://nobody@127.0.0.1:1/none\n')
  for (const args of [
    ['--env-file', 'far.env', 'counts'],
    ['counts', '--env-file', 'far.env'],
  ]) {
    const { status, err } = await faultline(args, { cwd: place.path })
    expect(status).toBe(3)
    expect(err).toMatch(/^faultline: the database cannot be reached.*\n$/)
  }
})

test('a directory without a database stays without one', async () => {
  for (const command of [['counts'], ['feed'], ['tail'], ['projects'], ['backup', 'x.gz']]) {
    const { status, err } = await faultline(command, { cwd: place.path })
    expect(status).toBe(3)
    expect(err).toContain('there is no database in ./faultline-data yet')
  }
  expect(existsSync(place.file('faultline-data'))).toBe(false)
})

test('settings in the working directory are not read unless they are named', async () => {
  await Bun.write(place.file('.env'), 'DATABASE_URL=postgres://nobody@127.0.0.1:1/none\n')
  const { err } = await faultline(['counts'], { cwd: place.path })
  expect(err).toContain('there is no database in ./faultline-data yet')
})

describe('init', () => {
  const asked = [
    '--public-url',
    'https://f.example.com',
    '--domain',
    'example.com',
    '--owner',
    'me@example.com',
  ]

  test('writes private settings, once, and says what comes next', async () => {
    const { status, out } = await faultline(['init', 'new.env', ...asked], { cwd: place.path })
    expect(status).toBe(0)
    expect(statSync(place.file('new.env')).mode & 0o777).toBe(0o600)
    expect(out).toContain('https://f.example.com/auth/google/callback')
    expect(out).toContain('fill in OAUTH_CLIENT_ID, OAUTH_CLIENT_SECRET')
    expect(out).toContain('faultline serve --env-file new.env')

    const before = await Bun.file(place.file('new.env')).text()
    const again = await faultline(['init', 'new.env'], { cwd: place.path })
    expect(again.status).toBe(1)
    expect(await Bun.file(place.file('new.env')).text()).toBe(before)
  })

  test('makes new secrets every time', async () => {
    const secrets = async (name: string) => {
      await faultline(['init', name], { cwd: place.path })
      const text = await Bun.file(place.file(name)).text()
      return ['SESSION_PASSWORD', 'VAPID_PUBLIC_KEY', 'SIGNING_SECRET'].map(
        key => new RegExp(`^${key}=(.+)$`, 'm').exec(text)?.[1],
      )
    }
    const [one, other] = [await secrets('one.env'), await secrets('other.env')]
    expect(one.every(Boolean)).toBe(true)
    for (const [i, secret] of one.entries()) expect(secret).not.toBe(other[i])
  })

  test('refuses what the server would refuse, and writes nothing', async () => {
    const { status, err } = await faultline(['init', 'bad.env', '--public-url', 'http://f.example.com'], {
      cwd: place.path,
    })
    expect(status).toBe(2)
    expect(err).toContain('PUBLIC_URL')
    expect(readdirSync(place.path)).not.toContain('bad.env')
  })
})

test('a health check without a server fails in words', async () => {
  const { status, err } = await faultline(['healthcheck'], { env: { PORT: '1' } })
  expect(status).toBe(1)
  expect(err).toContain('nobody answers at http://127.0.0.1:1')
})
