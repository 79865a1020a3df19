import { afterAll, beforeAll, expect, test } from 'bun:test'
import { copyFileSync, renameSync } from 'node:fs'
import { createSessions } from '../../server/auth/session.ts'
import { parseBoard } from '../../server/board/board.ts'
import { parseEnv } from '../../server/config/env-file.ts'
import { readConfig } from '../../server/config/read.ts'
import { type Going, going, home } from '../support/cli.ts'
import { healthy } from '../support/health.ts'
import { freePort } from '../support/postgres.ts'
import { until } from '../support/until.ts'

const place = home()
const envFile = place.file('env')
const drawing = (...ids: string[]) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 100">${ids.map(
    (id, n) => `<rect data-section="${id}" data-label="${id}" x="${n * 100}" width="80" height="80"/>`,
  )}</svg>`

/** Put in place whole, as an editor or a deployment does. */
async function draw(svg: string) {
  await Bun.write(place.file('new.svg'), svg)
  renameSync(place.file('new.svg'), place.file('board.svg'))
}
async function writeSettings(changed: Record<string, string> = {}) {
  const lines = Object.entries({ ...settings, ...changed }).map(([name, value]) => `${name}=${value}`)
  await Bun.write(place.file('new.env'), lines.join('\n'))
  copyFileSync(place.file('new.env'), envFile)
}

let settings: Record<string, string>
let server: Going
let cookie: string
beforeAll(async () => {
  const port = String(await freePort())
  settings = {
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    PORT: port,
    DATA_DIR: place.file('data'),
    ALLOWED_DOMAIN: 'example.com',
    OWNER_EMAIL: 'owner@example.com',
    SESSION_PASSWORD: '"a test password of enough different characters"',
    OAUTH_CLIENT_ID: 'faultline',
    OAUTH_CLIENT_SECRET: 'secret',
    BOARD_FILE: place.file('board.svg'),
    LOG_LEVEL: 'info',
    LOG_FORMAT: 'json',
  }
  await draw(drawing('pump', 'valve'))
  await writeSettings()
  server = going(['serve', '--env-file', envFile], { env: { LOG_FORMAT: 'json' } })
  await healthy(settings.PUBLIC_URL!)
  const config = readConfig(parseEnv(await Bun.file(envFile).text()).values)
  cookie = (await createSessions(config).begin('alice@example.com')).split(';', 1)[0]!
})
afterAll(async () => {
  await server.signal('SIGTERM')
  place.remove()
})

const ask = (path: string, init: RequestInit = {}) =>
  fetch(settings.PUBLIC_URL + path, { ...init, headers: { ...(init.headers as object), cookie } })
const post = (path: string, body: object) =>
  ask(path, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } })
const said = (message: string) =>
  server.err.map(line => JSON.parse(line) as Record<string, unknown>).filter(line => line.message === message)
const sections = async () => Object.keys((await (await ask('/api/defects/counts')).json()) as object)

async function reload(outcome = 'reloaded') {
  const before = said(outcome).length
  process.kill(server.pid, 'SIGHUP')
  await until(() => said(outcome).length > before, `${outcome} is said`)
}

test('ten reloads under a stream of reads and reports lose none of them', async () => {
  const { id } = (await (await post('/api/projects', { name: 'Hinge' })).json()) as { id: string }
  const outcomes: string[] = []
  let going = true
  const stream = async (ask: () => Promise<Response>) => {
    let asked = 0
    for (; going; asked++) outcomes.push(await ask().then(({ status }) => String(status), String))
    return asked
  }
  const report = { section_id: 'pump', project_id: id, verbatim: 'leaks' }
  const filed = [1, 2].map(() => stream(() => post('/api/defects', report)))
  const read = [1, 2].map(() => stream(() => ask('/board.svg')))
  for (let round = 0; round < 10; round++) {
    await draw(drawing('pump', round % 2 ? 'tank' : 'valve'))
    const before = outcomes.length
    await reload()
    await until(() => outcomes.length > before + 10, 'requests go on')
  }
  going = false
  const reports = (await Promise.all(filed)).reduce((sum, count) => sum + count)
  await Promise.all(read)
  expect(outcomes.filter(outcome => outcome !== '200' && outcome !== '201')).toEqual([])
  expect(await (await ask('/api/defects/counts')).json()).toMatchObject({ pump: reports })
})

test('a changed board is shown and told to open pages; one that did not change is not', async () => {
  const version = async () => (await ask('/api/defects/counts')).headers.get('x-board-version')
  await draw(drawing('pump', 'valve'))
  await reload()
  const before = await version()
  await reload()
  expect(await version()).toBe(before)
  const changed = drawing('pump', 'gauge', 'hose')
  await draw(changed)
  await reload()
  expect(await version()).not.toBe(before)
  expect(await (await ask('/board.svg')).text()).toBe(parseBoard(changed).svg)
  expect(await sections()).toEqual(['pump', 'gauge', 'hose'])
  await draw(drawing('gauge'))
  await reload()
  const picture = await (await ask('/board.svg')).text()
  expect(picture).toContain('<desc data-retired="pump" data-label="pump" data-first=')
  expect(picture).not.toContain('data-retired="hose"')
})

test('a faulty board is told with all its faults, and the old one stays', async () => {
  const before = await sections()
  await draw(
    drawing('pump').replace('</svg>', '<script/><rect data-section="Bad Id" data-label="Pipe"/></svg>'),
  )
  await reload('not reloaded, all stays as it was')
  const { faults } = said('not reloaded, all stays as it was').at(-1)! as { faults: string[] }
  expect(faults).toMatchObject([expect.stringContaining('<script>'), expect.stringContaining('Bad Id')])
  expect(await sections()).toEqual(before)
  await draw(drawing('pump'))
  await reload()
  expect(await sections()).toEqual(['pump'])
})

test('the log level is read anew; what needs a restart is named; faulty settings change nothing', async () => {
  await writeSettings({ LOG_LEVEL: 'warn', SESSION_TTL: '12h', OWNER_EMAIL: 'other@example.com' })
  await reload('settings have changed that need a restart')
  expect(said('settings have changed that need a restart').at(-1)).toMatchObject({
    settings: ['OWNER_EMAIL', 'SESSION_TTL'],
  })
  await writeSettings({ LOG_LEVEL: 'loud', PUBLIC_URL: 'nonsense' })
  await reload('not reloaded, all stays as it was')
  const { faults } = said('not reloaded, all stays as it was').at(-1)! as { faults: string[] }
  expect(faults.map(fault => fault.replace(/:.*/, ''))).toEqual(['PUBLIC_URL', 'LOG_LEVEL'])
  await writeSettings()
  await reload()
})
