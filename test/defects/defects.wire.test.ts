import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { FeedEntry } from '../../server/defects/entry.ts'
import type { Project } from '../../server/projects/model.ts'
import { post, problemOf, project, wholeFeed } from '../support/api.ts'
import { ALICE, BOB, type TestApp, testApp } from '../support/app.ts'

let app: TestApp
let alice: ReturnType<TestApp['as']>
let hinge: Project
beforeAll(async () => {
  app = await testApp()
  alice = app.as(ALICE)
  hinge = await project(app)
})
afterAll(() => app.stop())

const body = (changes: object = {}) => ({
  section_id: 'usb-port',
  project_id: hinge.id,
  verbatim: 'The shield is loose',
  ...changes,
})
const file = (changes: object = {}, headers?: Record<string, string>) =>
  post(alice, '/api/defects', body(changes), headers)

describe('filing', () => {
  test('answers 201 with the whole feed entry', async () => {
    const response = await file()
    expect(response.status).toBe(201)
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    const entry = (await response.json()) as FeedEntry
    expect(entry).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      section_id: 'usb-port',
      project_id: hinge.id,
      project_name: 'Hinge rework',
      verbatim: 'The shield is loose',
      reporter: ALICE,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    })
    const [newest] = (await (await alice('/api/defects?limit=1')).json()) as FeedEntry[]
    expect(newest).toEqual(entry)
  })

  test('the reporter is the session, whatever the body says; unknown properties are ignored', async () => {
    const entry = (await (
      await file({ reporter: 'owner@example.com', id: 'x', extra: 1 })
    ).json()) as FeedEntry
    expect(entry.reporter).toBe(ALICE)
    expect(entry.id).not.toBe('x')
    expect(Object.keys(entry)).toHaveLength(7)
  })

  test('an upper-case project id is the same project', async () => {
    const response = await file({ project_id: hinge.id.toUpperCase() })
    expect(response.status).toBe(201)
    expect(((await response.json()) as FeedEntry).project_id).toBe(hinge.id)
  })

  const kept: [string, string][] = [
    ['SQL', `'; drop table defects; -- \${} %s \\ $1`],
    ['markup', '<script>alert(1)</script>{@html x}'],
    ['emoji sequences', '👩‍👩‍👧‍👦 🏳️‍🌈'],
    ['right to left', 'שלום \u202e عالم'],
    ['a thousand combining marks', `a${'\u0301'.repeat(1000)}`],
    ['line breaks', 'one\r\ntwo\n\tthree'],
    ['control characters', 'bell \u0007 escape \u001b[31m'],
    ['a byte order mark within', 'a\ufeffb'],
    ['decomposed letters', 'Geha\u0308use'],
  ]
  test.each(kept)('%s comes back byte for byte', async (_, verbatim) => {
    const response = await file({ verbatim })
    expect(response.status).toBe(201)
    const { id } = (await response.json()) as FeedEntry
    const feed = (await (await alice('/api/defects?limit=5')).json()) as FeedEntry[]
    expect(feed.find(entry => entry.id === id)?.verbatim).toBe(verbatim)
  })

  test('white space around the text is trimmed', async () => {
    expect(
      ((await (await file({ verbatim: ' \u00a0\n loose \u3000\t' })).json()) as FeedEntry).verbatim,
    ).toBe('loose')
  })

  test('5 000 code points are stored, one more is refused', async () => {
    expect((await file({ verbatim: '𝔸'.repeat(5_000) })).status).toBe(201)
    expect((await file({ verbatim: 'a'.repeat(5_001) })).status).toBe(422)
  })

  const refused: [string, object, string][] = [
    ['no text', { verbatim: '' }, 'verbatim'],
    ['blank text', { verbatim: ' \u00a0\u3000' }, 'verbatim'],
    ['a zero-width space alone', { verbatim: '\u200b' }, 'verbatim'],
    ['a byte order mark alone', { verbatim: '\ufeff' }, 'verbatim'],
    ['a Braille blank alone', { verbatim: '\u2800' }, 'verbatim'],
    ['a Hangul filler alone', { verbatim: '\u3164' }, 'verbatim'],
    ['a NUL', { verbatim: 'a\0b' }, 'verbatim'],
    ['half of a surrogate pair', { verbatim: 'a\udc00' }, 'verbatim'],
    ['text that is a number', { verbatim: 5 }, 'verbatim'],
    ['an unknown section', { section_id: 'warp-drive' }, 'section_id'],
    ['a section in upper case', { section_id: 'USB-PORT' }, 'section_id'],
    ['a section with a space', { section_id: ' usb-port' }, 'section_id'],
    ['an empty section', { section_id: '' }, 'section_id'],
    ['a section with NUL', { section_id: 'usb-port\0' }, 'section_id'],
    ['a section that is a list', { section_id: ['usb-port'] }, 'section_id'],
    ['a section of Object.prototype', { section_id: 'constructor' }, 'section_id'],
    ['a project that is no UUID', { project_id: 'hinge' }, 'project_id'],
    ['a project as a URN', { project_id: 'urn:uuid:0190a6e0-1c2d-7e3f-8a4b-5c6d7e8f9a0b' }, 'project_id'],
    ['no project', { project_id: undefined }, 'project_id'],
  ]
  test.each(refused)('%s is refused with a word on its field', async (_, changes, field) => {
    const response = await file(changes)
    expect(response.status).toBe(422)
    expect(response.headers.get('content-type')).toStartWith('application/problem+json')
    const problem = await problemOf(response)
    expect(problem).toMatchObject({ type: 'about:blank', status: 422, code: 'invalid_body' })
    expect(problem.errors?.map(fault => fault.field)).toEqual([field])
    expect(problem.request_id).toBe(response.headers.get('x-request-id') ?? '')
  })

  test('several faults are named together', async () => {
    const problem = await problemOf(await file({ verbatim: ' ', project_id: 'x' }))
    expect(problem.errors?.map(fault => fault.field).sort()).toEqual(['project_id', 'verbatim'])
  })

  test('a project that does not exist is refused as unknown_project', async () => {
    const response = await file({ project_id: Bun.randomUUIDv7() })
    expect(response.status).toBe(422)
    expect((await problemOf(response)).code).toBe('unknown_project')
  })

  test.each(['null', '[]', '"x"', '1', 'true', '1e400'])('a body that is %s is refused', async json => {
    expect((await post(alice, '/api/defects', json)).status).toBe(422)
  })

  test('malformed JSON and invalid UTF-8 are 400', async () => {
    for (const broken of ['{', '', '{"a":1}}', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])]) {
      const response = await post(alice, '/api/defects', broken)
      expect(response.status).toBe(400)
      expect((await problemOf(response)).code).toBe('malformed_json')
    }
  })

  test('an object that cannot be printed is as wrong as any other', async () => {
    for (const value of [{ toString: 1 }, [{ toString: null }], { valueOf: 1, toJSON: 1 }]) {
      for (const field of ['section_id', 'project_id', 'verbatim']) {
        const response = await file({ [field]: value })
        expect([field, response.status]).toEqual([field, 422])
        expect((await problemOf(response)).errors).toEqual([{ field, message: 'must be text' }])
      }
    }
    expect((await file({ toString: 1 })).status).toBe(201)
  })

  // Whoever walks or prints thousands of brackets needs seconds for each.
  test.each(['['.repeat(60_000), '['.repeat(30_000) + ']'.repeat(30_000)])(
    'deep nesting is refused by its depth, before anybody walks it',
    async body => {
      const response = await post(alice, '/api/defects', body)
      expect(response.status).toBe(422)
      expect((await problemOf(response)).errors).toEqual([{ field: 'body', message: 'is nested too deeply' }])
    },
  )

  test('a text of blanks and more blanks is judged whole', async () => {
    expect((await file({ verbatim: `a${' '.repeat(60_000)}b` })).status).toBe(422)
  })
})

describe('the media type and size of a body', () => {
  test.each([
    'text/plain',
    'text/plain; j=1',
    'text/plain; x=1',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jwt',
    'application/json-patch+json',
    'application/jsonp',
    'aaaaaaaaaaaaj',
    '',
  ])('%p is 415', async type => {
    const response = await alice('/api/defects', {
      method: 'POST',
      headers: { 'content-type': type },
      body: new TextEncoder().encode(JSON.stringify(body())),
    })
    expect(response.status).toBe(415)
  })

  test('parameters and case of application/json do not matter', async () => {
    for (const type of ['application/json; charset=utf-8', 'Application/JSON', 'application/json;x=y']) {
      expect((await file({}, { 'content-type': type })).status).toBe(201)
    }
  })

  test('over 64 KiB is 413, declared or not', async () => {
    const large = JSON.stringify(body({ extra: 'x'.repeat(70_000) }))
    expect((await post(alice, '/api/defects', large)).status).toBe(413)
    const undeclared = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(large))
        controller.close()
      },
    })
    const headers = { 'content-type': 'application/json' }
    expect((await alice('/api/defects', { method: 'POST', headers, body: undeclared })).status).toBe(413)
  })
})

describe('Idempotency-Key', () => {
  const key = () => ({ 'idempotency-key': crypto.randomUUID() })

  test('the same key and content answer the stored entry with 200 and store nothing', async () => {
    const headers = key()
    const first = await file({ verbatim: 'once' }, headers)
    const again = await file({ verbatim: ' once ', project_id: hinge.id.toUpperCase() }, headers)
    expect([first.status, again.status]).toEqual([201, 200])
    expect(await again.json()).toEqual(await first.json())
    const feed = await wholeFeed(alice, '/api/defects?limit=200')
    expect(feed.filter(entry => entry.verbatim === 'once')).toHaveLength(1)
  })

  test('twenty concurrent twins store one defect', async () => {
    const headers = key()
    const answers = await Promise.all(Array.from({ length: 20 }, () => file({ verbatim: 'twin' }, headers)))
    expect(answers.filter(answer => answer.status === 201)).toHaveLength(1)
    expect(answers.filter(answer => answer.status === 200)).toHaveLength(19)
    const ids = await Promise.all(answers.map(async answer => ((await answer.json()) as FeedEntry).id))
    expect(new Set(ids).size).toBe(1)
  })

  test('the same key with other content is refused', async () => {
    const headers = key()
    await file({ verbatim: 'one thing' }, headers)
    const other = await file({ verbatim: 'another thing' }, headers)
    expect(other.status).toBe(422)
    expect((await problemOf(other)).code).toBe('idempotency_key_reused')
  })

  test('keys of two reporters do not meet', async () => {
    const headers = key()
    expect((await file({}, headers)).status).toBe(201)
    expect((await post(app.as(BOB), '/api/defects', body({ verbatim: 'mine' }), headers)).status).toBe(201)
  })

  test('a refused request uses no key up', async () => {
    const headers = key()
    expect((await file({ verbatim: ' ' }, headers)).status).toBe(422)
    expect((await file({ project_id: Bun.randomUUIDv7() }, headers)).status).toBe(422)
    expect((await file({}, headers)).status).toBe(201)
  })

  test('1 to 64 visible ASCII characters, once', async () => {
    expect((await file({}, { 'idempotency-key': 'k,'.repeat(32) })).status).toBe(201)
    for (const bad of ['', 'a b', 'k'.repeat(65), 'é']) {
      const response = await file({}, { 'idempotency-key': bad })
      expect(response.status).toBe(422)
      expect((await problemOf(response)).code).toBe('invalid_header')
    }
    const twice = new Headers({ 'content-type': 'application/json', 'idempotency-key': 'a' })
    twice.append('idempotency-key', 'b')
    const init = { method: 'POST', headers: twice, body: JSON.stringify(body()) }
    expect((await alice('/api/defects', init)).status).toBe(422)
  })
})
