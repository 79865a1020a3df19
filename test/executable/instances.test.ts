import { afterAll, beforeAll, expect, test } from 'bun:test'
import { ALICE, type TestApp, testApp } from '../support/app.ts'
import { faultline, sections } from '../support/cli.ts'
import { until } from '../support/until.ts'

const CLIENTS = 8
const EACH = process.env.FAULTLINE_LONG === '1' ? 400 : 40

let instances: TestApp[]
let turn = 0

beforeAll(async () => {
  const first = await testApp({ database: 'postgres' })
  instances = [first, await testApp({ beside: first }), await testApp({ beside: first })]
})
afterAll(async () => {
  for (const instance of instances.toReversed()) await instance.stop()
})

const calls = new Map<TestApp, ReturnType<TestApp['as']>>()
const call = (instance: TestApp, path: string, init: RequestInit) => {
  if (!calls.has(instance)) calls.set(instance, instance.as(ALICE))
  return calls.get(instance)!(path, init)
}

/** As a plain load balancer does: each request to the next instance, and once more to the one after it. */
async function balanced(path: string, init: RequestInit = {}): Promise<Response> {
  const at = turn++
  const answer = await call(instances[at % instances.length]!, path, init).catch(() => undefined)
  if (answer && answer.status < 500) return answer
  return call(instances[(at + 1) % instances.length]!, path, init)
}

const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  balanced(path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  })

async function reports(client: string, many: number | (() => boolean)): Promise<string[]> {
  const ids: string[] = []
  for (let i = 0; typeof many === 'number' ? i < many : many(); i++) {
    const { id: project_id } = (await (await post('/api/projects', { name: `Shared ${i % 5}` })).json()) as {
      id: string
    }
    const body = {
      section_id: sections()[i % sections().length],
      project_id,
      verbatim: `${client}, report ${i}`,
    }
    const response = await post('/api/defects', body, {
      'idempotency-key': `${client}-${i}`.replaceAll(' ', '-'),
    })
    expect([200, 201]).toContain(response.status)
    ids.push(((await response.json()) as { id: string }).id)
  }
  return ids
}

async function storedIds(): Promise<string[]> {
  const { out } = await faultline(['feed', '-n', '100000', '--json'], {
    env: { ...instances[0]!.env, LOG_LEVEL: 'warn' },
  })
  return (JSON.parse(out) as { id: string }[]).map(entry => entry.id)
}

test('three instances on one PostgreSQL are one service', async () => {
  const ids = (
    await Promise.all(Array.from({ length: CLIENTS }, (_, i) => reports(`client ${i}`, EACH)))
  ).flat()
  expect(new Set(ids).size).toBe(CLIENTS * EACH)
  expect((await storedIds()).toSorted()).toEqual(ids.toSorted())
  const answers = await Promise.all(
    instances.map(async instance => (await call(instance, '/api/defects/counts', {})).json()),
  )
  expect(answers[1]).toEqual(answers[0])
  expect(answers[2]).toEqual(answers[0])
  expect(Object.values(answers[0] as Record<string, number>).reduce((a, b) => a + b, 0)).toBe(ids.length)
  const projects = (await (await balanced('/api/projects')).json()) as { name: string }[]
  expect(projects.map(project => project.name)).toEqual([
    'Shared 0',
    'Shared 1',
    'Shared 2',
    'Shared 3',
    'Shared 4',
  ])
})

test('two instances are restarted one after the other under load, and no request is lost', async () => {
  const before = await storedIds()
  let filing = true
  let filed = 0
  const clients = Array.from({ length: 4 }, (_, i) =>
    reports(`rolling ${i}`, () => {
      filed++
      return filing
    }),
  )
  for (const instance of instances.slice(1)) {
    const mark = filed
    await until(() => filed > mark + 20, 'requests flow')
    await instance.restart()
  }
  const mark = filed
  await until(() => filed > mark + 20, 'requests flow')
  filing = false
  const ids = (await Promise.all(clients)).flat()
  expect((await storedIds()).toSorted()).toEqual([...before, ...ids].toSorted())
})
