import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { projects } from '../../server/db/schema.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { faultline, going, home } from '../support/cli.ts'
import { fileDefects } from '../support/defects.ts'

const place = home()
const drawing = (inside: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 20">${inside}</svg>`
const SECTIONS =
  '<rect data-section="roof" data-label="Roof" width="9" height="9"/><path data-section="cpu" data-label="Processor" d="M10 10h5v5z"/>'

beforeAll(async () => {
  await Bun.write(place.file('fine.svg'), drawing(`<a href="#x">${SECTIONS}</a>`))
  await Bun.write(place.file('bad.svg'), drawing(`<script/>${SECTIONS.replace('data-label="Roof"', '')}`))
})
afterAll(() => place.remove())

const check = async (file: string, env: Record<string, string> = {}) => {
  const { status, out, err } = await faultline(['board', 'check', file, '--json'], { cwd: place.path, env })
  return { status, err, said: out ? JSON.parse(out) : undefined }
}

test('without a database a drawing is checked by itself', async () => {
  const { status, err, said } = await check('fine.svg')
  expect({ status, err }).toEqual({ status: 0, err: '' })
  expect(said).toMatchObject({ ok: true, faults: [], retiring: null, returning: null })
  expect(said.sections).toEqual([
    { id: 'roof', label: 'Roof' },
    { id: 'cpu', label: 'Processor' },
  ])
  expect(said.warnings).toMatchObject([{ element: 'a', line: 1, count: 1 }])
})

test('all faults of a drawing are told at once, and it is refused', async () => {
  const { status, said } = await check('bad.svg')
  expect(status).toBe(1)
  expect(said).toMatchObject({ ok: false, sections: [] })
  expect(said.faults).toEqual([
    expect.stringContaining('<script>'),
    expect.stringContaining('section "roof" has no label'),
  ])
  const { out } = await faultline(['board', 'check', 'bad.svg'], { cwd: place.path })
  expect(out).toMatch(/^FAULT line 1: <script>.*\nFAULT line 1: <rect>.*\n\n2 faults to mend\.\n$/)
})

test('a drawing that is not there is told by its name', async () => {
  const { status, err } = await check('none.svg')
  expect(status).toBe(1)
  expect(err).toContain('none.svg cannot be read (ENOENT)')
})

test('a database that is away leaves the drawing checked, and is told', async () => {
  const { status, err, said } = await check('fine.svg', {
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
  })
  expect(status).toBe(0)
  expect(said).toMatchObject({ ok: true, retiring: null })
  expect(err).toContain('not compared with the board in use: the database cannot be reached')
})

test('the sections of the board in use are listed with their names', async () => {
  const where = { cwd: place.path, env: { BOARD_FILE: place.file('fine.svg') } }
  expect((await faultline(['board', 'sections'], where)).out).toBe('roof\tRoof\ncpu\tProcessor\n')
  expect(JSON.parse((await faultline(['board', 'sections', '--json'], where)).out)).toEqual([
    { id: 'roof', label: 'Roof' },
    { id: 'cpu', label: 'Processor' },
  ])
})

describe.each(['embedded', 'postgres'] as const)('on %s', database => {
  let app: TestApp
  beforeAll(async () => {
    app = await testApp({ database })
  })
  afterAll(() => app.stop())

  test('the sections that would retire and those that come back are told with their defects', async () => {
    const projectId = Bun.randomUUIDv7()
    await app.db.write(queries => queries.insert(projects).values({ id: projectId, name: 'Apollo' }))
    await fileDefects(app.db, 3, i => ({ projectId, sectionId: i ? 'usb-port' : 'roof' }))
    const { status, said } = await check('fine.svg', { ...app.env, LOG_LEVEL: 'warn' })
    expect(status).toBe(0)
    expect(said.returning).toEqual([{ id: 'roof', defects: 1 }])
    expect(said.retiring).toContainEqual({ id: 'usb-port', defects: 2 })
    expect(said.retiring).not.toContainEqual(expect.objectContaining({ id: 'cpu' }))
    expect(said.retiring).not.toContainEqual(expect.objectContaining({ id: 'roof' }))
  })
})

test('a drawing that no board can be is not opened for editing, and all its faults are told', async () => {
  await Bun.write(place.file('script.svg'), drawing('<script/><g onclick="go()"/>'))
  const { status, out, err } = await faultline(['board', 'edit', 'script.svg'], { cwd: place.path })
  expect([status, out]).toEqual([1, ''])
  expect(err).toContain('<script>')
  expect(err).toContain('onclick')
})

test('the editor ends by Ctrl-C, and says that nothing was saved', async () => {
  const editor = going(['board', 'edit', 'fine.svg', '-o', 'edited.svg'], { cwd: place.path })
  await editor.says(/http:\/\/127\.0\.0\.1:\d+\/\?token=/)
  expect(await editor.signal('SIGINT')).toBe(0)
  await editor.says(/^Nothing was saved\.$/)
  expect(existsSync(place.file('edited.svg'))).toBe(false)
})
