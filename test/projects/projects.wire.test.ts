import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { post, problemOf } from '../support/api.ts'
import { ALICE, BOB, type TestApp, testApp, testDatabase } from '../support/app.ts'

let app: TestApp
let alice: ReturnType<TestApp['as']>
beforeAll(async () => {
  app = await testApp()
  alice = app.as(ALICE)
})
afterAll(() => app.stop())

const create = (name: unknown) => post(alice, '/api/projects', { name })
const created = async (name: string) => (await (await create(name)).json()) as { id: string; name: string }

describe('find or create', () => {
  test('a new name makes a project with 201, a known one answers 200 with the same id', async () => {
    const first = await create('Hinge rework')
    expect(first.status).toBe(201)
    const project = (await first.json()) as { id: string; name: string }
    expect(project).toEqual({ id: expect.stringMatching(/^[0-9a-f-]{36}$/), name: 'Hinge rework' })

    const again = await post(app.as(BOB), '/api/projects', { name: 'HINGE REWORK' })
    expect(again.status).toBe(200)
    expect(await again.json()).toEqual(project)
  })

  test('white space around a name, of any kind, makes no second project', async () => {
    const { id } = await created('Lid')
    for (const spelling of ['  Lid', 'lid\t', '\u00a0Lid\u3000', '\ufeffLID\n']) {
      expect((await created(spelling)).id).toBe(id)
    }
  })

  test('composed and decomposed letters are one name', async () => {
    expect((await created('Gehäuse')).id).toBe((await created('Geha\u0308use')).id)
  })

  test('lower-casing is the same everywhere: dotted I, sigma, Kelvin, full width', async () => {
    const { id } = await created('İSTANBUL')
    expect((await created('i\u0307stanbul')).id).toBe(id)
    expect((await created('istanbul')).id).not.toBe(id)
    expect((await created('ＡＢＣ')).id).not.toBe((await created('ABC')).id)
    expect((await created('\u212Aelvin')).id).toBe((await created('kelvin')).id)
    expect((await create('ΣΑΣ')).status).toBe(201)
  })

  test('50 concurrent spellings of one name give one row and one id', async () => {
    const second = testDatabase === 'postgres' ? await testApp({ beside: app }) : app
    const spellings = Array.from({ length: 50 }, (_, i) =>
      [...'concurrent name'].map((c, at) => ((i >> (at % 6)) & 1 ? c.toUpperCase() : c)).join(''),
    )
    const answers = await Promise.all(
      spellings.map(async (name, i) => {
        const response = await post((i % 2 ? app : second).as(ALICE), '/api/projects', { name })
        return { status: response.status, ...((await response.json()) as { id: string; name: string }) }
      }),
    )
    expect(new Set(answers.map(answer => answer.id)).size).toBe(1)
    expect(new Set(answers.map(answer => answer.name)).size).toBe(1)
    expect(answers.filter(answer => answer.status === 201)).toHaveLength(1)
    expect(answers.filter(answer => answer.status === 200)).toHaveLength(49)
    if (second !== app) await second.stop()
  })
})

describe('what a name may be', () => {
  test('1 to 120 code points', async () => {
    expect((await create('𝔸'.repeat(120))).status).toBe(201)
    expect((await create('𝔸'.repeat(121))).status).toBe(422)
  })

  const refused: [string, unknown][] = [
    ['nothing', ''],
    ['spaces', '  \u00a0 '],
    ['only a zero-width space', '\u200b'],
    ['only a Braille blank', '\u2800'],
    ['a NUL', 'a\0b'],
    ['a control character', 'a\u0007b'],
    ['a line break', 'a\nb'],
    ['a line separator', 'a\u2028b'],
    ['a bidirectional override', 'a\u202eb'],
    ['half of a surrogate pair', 'a\ud800b'],
    ['a number', 1],
    ['a list', ['x']],
    ['an object', {}],
    ['null', null],
  ]
  test.each(refused)('%s is refused with a word on the field', async (_, name) => {
    const response = await create(name)
    expect(response.status).toBe(422)
    const problem = await problemOf(response)
    expect(problem.code).toBe('invalid_body')
    expect(problem.errors?.map(fault => fault.field)).toEqual(['name'])
  })

  test('SQL, wildcards and emoji are just text', async () => {
    for (const name of [
      "'; drop table projects; --",
      '100 % _ \\',
      '👩‍👩‍👧 rework',
      '<b>bold</b>',
      '$1 %s {x}',
    ]) {
      const response = await create(name)
      expect(response.status).toBe(201)
      expect(((await response.json()) as { name: string }).name).toBe(name)
    }
  })
})

describe('the list', () => {
  const list = async (query = '') =>
    ((await (await alice(`/api/projects${query}`)).json()) as { name: string }[]).map(({ name }) => name)

  test('is ordered by lower-cased name and complete', async () => {
    for (const name of ['zebra', 'Apple', 'mango', 'Äpfel']) await create(name)
    const names = await list()
    const listed = names.filter(name => ['zebra', 'Apple', 'mango', 'Äpfel'].includes(name))
    expect(listed).toEqual(['Äpfel', 'Apple', 'mango', 'zebra'])
  })

  test('q finds a substring in any case, with % and _ as themselves', async () => {
    expect(await list('?q=APPL')).toEqual(['Apple'])
    expect(await list('?q=%25%20_')).toEqual(['100 % _ \\'])
    expect(await list('?q=%25%25')).toEqual([])
  })

  test('limit takes 1 to 1000', async () => {
    expect(await list('?limit=2')).toHaveLength(2)
    for (const limit of ['0', '1001', '-1', '1e2', 'x', '', '%205']) {
      expect((await alice(`/api/projects?limit=${limit}`)).status).toBe(422)
    }
  })

  test('unknown, repeated and broken parameters are refused by name', async () => {
    for (const [query, field] of [
      ['?page=2', 'page'],
      ['?q=a&q=b', 'q'],
      ['?q[]=a', 'q[]'],
      ['?Q=a', 'Q'],
      ['?q=%ff', 'q'],
    ] as const) {
      const response = await alice(`/api/projects${query}`)
      expect(response.status).toBe(422)
      const problem = await problemOf(response)
      expect(problem.code).toBe('invalid_query')
      expect(problem.errors?.[0]?.field).toBe(field)
    }
  })
})
