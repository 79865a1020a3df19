import { beforeAll, expect, test } from 'bun:test'
import { project, report } from '../support/api.ts'
import { ALICE, BOB, sharedApp, type TestApp } from '../support/app.ts'

let app: TestApp
let alice: ReturnType<TestApp['as']>
let entry: { id: string }
beforeAll(async () => {
  app = await sharedApp()
  alice = app.as(ALICE)
  const { id } = await project(app)
  entry = await report(alice, id, 'The shield is loose')
})

test('everybody who is signed in reads a defect as the feed shows it', async () => {
  const response = await app.as(BOB)(`/api/defects/${entry.id}`)
  expect(response.status).toBe(200)
  expect(await response.json()).toEqual(entry)
  expect((await alice(`/api/defects/${entry.id.toUpperCase()}`)).status).toBe(200)
})

const nowhere = [
  '0190a6e0-1c2d-7e3f-8a4b-5c6d7e8f9a0b',
  'x',
  '%C3%A9',
  '%FF',
  'urn:uuid:0190a6e0-1c2d-7e3f-8a4b-5c6d7e8f9a0b',
  '{id}',
  ':id',
  'a'.repeat(2_000),
]

test.each(nowhere)('there is no defect %s, and no page of it', async id => {
  const response = await alice(`/api/defects/${id}`)
  expect([response.status, await response.json()]).toEqual([
    404,
    expect.objectContaining({ code: 'not_found' }),
  ])
  const page = await alice(`/defects/${id}`)
  expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
})

test('without a session nobody learns whether there is such a defect', async () => {
  for (const id of [entry.id, ...nowhere]) {
    expect((await app.anonymous(`/api/defects/${id}`)).status).toBe(401)
    const page = await app.anonymous(`/defects/${id}`, { redirect: 'manual' })
    expect([page.status, page.headers.get('location')?.startsWith('/login')]).toEqual([302, true])
  }
})

test('it is only read, and takes no parameter', async () => {
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    const response = await alice(`/api/defects/${entry.id}`, { method })
    expect([method, response.status, response.headers.get('allow')]).toEqual([method, 405, 'GET, HEAD'])
  }
  expect((await alice(`/api/defects/${entry.id}?x=1`)).status).toBe(422)
})

test('its page is the shell, which holds no data', async () => {
  const page = await alice(`/defects/${entry.id}`)
  expect(page.status).toBe(200)
  expect(await page.text()).toBe(await (await alice('/')).text())
})
