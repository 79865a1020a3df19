import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { CountsQuery, FeedQuery, TrendsQuery } from '../../server/defects/model.ts'
import { type NarrowingName, narrowings } from '../../server/defects/narrowing.ts'
import { project, wholeFeed } from '../support/api.ts'
import { ALICE, type TestApp, testApp } from '../support/app.ts'
import { fileDefects } from '../support/defects.ts'

const DAY_MS = 86_400_000
const sections = ['cpu', 'ethernet', 'usb-port']

type Parameter = keyof (typeof FeedQuery.properties &
  typeof CountsQuery.properties &
  typeof TrendsQuery.properties)
/** Values of each parameter, of which each gives another answer, and another one than without it. */
let values: Record<Parameter, string[]>

let app: TestApp
let alice: ReturnType<TestApp['as']>
beforeAll(async () => {
  app = await testApp()
  alice = app.as(ALICE)
  const projects = [(await project(app, 'One')).id, (await project(app, 'Two')).id]
  await fileDefects(app.db, 60, i => ({
    projectId: projects[i % 5 ? 0 : 1]!,
    sectionId: sections[(i % 7) % 3]!,
    verbatim: `The ${i % 4 ? 'port' : 'hinge'} ${i}`,
    createdAt: new Date(Date.now() - i * DAY_MS),
  }))
  const cursor = async (limit: number) =>
    new URL((await nextOf(await alice(`/api/defects?limit=${limit}`)))!, app.origin).searchParams.get(
      'before',
    )!
  values = {
    limit: ['2', '3'],
    section: ['cpu', 'ethernet'],
    project: [projects[0]!, projects[1]!],
    q: ['port', 'hinge'],
    since: ['4d', '7d'],
    before: [await cursor(5), await cursor(6)],
    by: ['project'],
    days: ['4d', '7d'],
    back: ['1', '2'],
  }
})
afterAll(() => app.stop())

const nextOf = async (response: Response) =>
  /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1]

const shared = [
  ['/api/defects', Object.keys(FeedQuery.properties)],
  ['/api/defects/counts', ['by', 'project', 'since']],
  ['/api/defects/counts?by=project', ['section', 'since']],
  ['/api/defects/trends', Object.keys(TrendsQuery.properties)],
] as [path: string, parameters: Parameter[]][]

describe.each(shared)('%s', (path, parameters) => {
  test.each(parameters)('two requests that differ in %s never share an answer', async name => {
    const queries = ['', ...values[name].map(value => `${path.includes('?') ? '&' : '?'}${name}=${value}`)]
    const answerTo = async (query: string) => {
      const response = await alice(path + query)
      expect(response.status).toBe(200)
      return `${response.headers.get('link')} ${await response.text()}`
    }
    const alone: string[] = []
    for (const query of queries) alone.push(await answerTo(query))
    expect(new Set(alone).size).toBe(queries.length)
    for (let round = 0; round < 5; round++) {
      const together = await Promise.all([...queries, ...queries, ...queries].map(answerTo))
      expect(together).toEqual([...alone, ...alone, ...alone])
    }
  })
})

test('counts know no parameter that is not tried here', () => {
  const tried = shared.flatMap(([path, parameters]) => (path.includes('counts') ? parameters : []))
  expect(new Set<string>(tried)).toEqual(new Set(Object.keys(CountsQuery.properties)))
})

const narrowing = (Object.keys(FeedQuery.properties) as Parameter[]).filter(
  (name): name is NarrowingName => name in narrowings,
)

test.each(narrowing)('%s is repeated by the link to the next page, to the end', async name => {
  const all = await wholeFeed(alice, '/api/defects?limit=7')
  for (const value of values[name]) {
    const path = `/api/defects?limit=2&${name}=${value}`
    expect(await nextOf(await alice(path))).toContain(`&${name}=${value}&`)
    const narrowed = await wholeFeed(alice, path)
    expect(narrowed.length).toBeLessThan(all.length)
    expect(narrowed).toEqual(all.filter(entry => narrowed.some(({ id }) => id === entry.id)))
  }
})
