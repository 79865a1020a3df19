import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { ALICE, type TestApp, testApp } from '../support/app.ts'
import { faultline, onTerminal, seed } from '../support/cli.ts'

/** How the commands that read ask and answer, which is the same wherever the database is. */
const hostile = 'x\x1b]0;title\x07\x1b[2J\x9b31m\r\nsecond\u202e line\ttab'
/** line breaks and tabs are ours */
const steering = /(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069]/u

let app: TestApp
let where: { env: Record<string, string> }
beforeAll(async () => {
  app = await testApp()
  await seed(app.db, 5, { verbatim: i => (i === 4 ? hostile : `report ${i} ${'long '.repeat(900)}end`) })
  where = { env: { ...app.env, LOG_LEVEL: 'warn' } }
})
afterAll(() => app.stop())

test('a section that is not there is a mistake of usage', async () => {
  for (const command of ['feed', 'tail']) {
    const { status, err } = await faultline([command, '--section', 'nowhere'], where)
    expect(status).toBe(2)
    expect(err).toContain('there is no section "nowhere". The sections are ')
  }
})

test('on a terminal there are colours, relative times and lines that fit', async () => {
  for (const command of [['counts'], ['feed', '-n', '3'], ['tail', '-n', '3'], ['projects']]) {
    const { status, screen } = await onTerminal(command, { ...where, columns: 70 })
    expect(status).toBe(0)
    expect(screen).toContain('\x1b[')
    for (const line of screen.split('\n')) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(70)
    if (command[0] === 'feed') expect(screen).toMatch(/just now|min ago/)
  }
})

test('colours stay away on request', async () => {
  const plain = async (args: string[], env: Record<string, string> = {}) => {
    const { screen } = await onTerminal(args, { env: { ...where.env, ...env } })
    expect(screen).not.toContain('\x1b')
  }
  await plain(['counts', '--no-color'])
  await plain(['--no-color', 'projects'])
  await plain(['counts'], { NO_COLOR: '1' })
  await plain(['counts'], { TERM: 'dumb' })
})

test("nobody's text steers the terminal", async () => {
  for (const command of [
    ['feed', '-n', '1'],
    ['tail', '-n', '1'],
    ['feed', '-n', '1', '--json'],
    ['tail', '-n', '1', '--json'],
  ]) {
    const { screen } = await onTerminal(['--no-color', ...command], where)
    expect(screen).toContain('title')
    expect(screen).not.toMatch(steering)
    const { out } = await faultline(command, where)
    expect(out).not.toMatch(steering)
    if (command.includes('--json')) expect([JSON.parse(out)].flat()[0].verbatim).toBe(hostile)
  }
})

test('push commands ask for what they lack, and then for a device', async () => {
  const without = await faultline(['push', 'status'], where)
  expect(without.status).toBe(2)
  expect(without.err).toContain('VAPID_PUBLIC_KEY')
  const keys = join(app.env.DATA_DIR!, '..', `keys-${Bun.randomUUIDv7()}.env`)
  await faultline(['init', keys], where)
  for (const command of ['status', 'test']) {
    const { status, err } = await faultline(['push', command, '--env-file', keys], where)
    expect(status).toBe(5)
    expect(err).toContain('no device of the owner is subscribed')
  }
})

test('the settings may come from a file', async () => {
  const file = join(app.env.DATA_DIR!, '..', 'all.env')
  const lines = Object.entries(app.env).map(([name, value]) => `${name}="${value}"\n`)
  await Bun.write(file, lines.join(''))
  const { out } = await faultline(['counts', '--json', '--env-file', file])
  expect(JSON.parse(out)).toEqual(await (await app.as(ALICE)('/api/defects/counts')).json())
})
