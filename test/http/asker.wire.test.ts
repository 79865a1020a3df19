import { afterAll, beforeAll, expect, test } from 'bun:test'
import { post, project } from '../support/api.ts'
import { ALICE, BOB, type TestApp, testApp } from '../support/app.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.stop())

const asker = (email: string) => ({ 'x-signed-in-as': email })

test('a page that was opened by somebody else neither reads nor writes with the session of now', async () => {
  const { id } = await project(app)
  const report = { section_id: 'usb-port', project_id: id, verbatim: 'typed by Bob' }
  expect((await post(app.as(ALICE), '/api/defects', report, asker(BOB))).status).toBe(401)
  expect((await post(app.as(ALICE), '/api/projects', { name: 'Bob’s' }, asker(BOB))).status).toBe(401)
  expect((await app.as(ALICE)('/api/defects', { headers: asker(BOB) })).status).toBe(401)
  expect(await (await app.as(ALICE)('/api/defects')).json()).toEqual([])
  expect(await (await app.as(ALICE)('/api/projects')).json()).toHaveLength(1)
})

test('a page that is the session’s own reads and writes', async () => {
  const { id } = await project(app)
  const report = { section_id: 'usb-port', project_id: id, verbatim: 'typed by Alice' }
  expect((await post(app.as(ALICE), '/api/defects', report, asker(ALICE))).status).toBe(201)
  expect((await app.as(ALICE)('/api/defects', { headers: asker(ALICE) })).status).toBe(200)
})

test('to name somebody makes nobody signed in', async () => {
  expect((await app.anonymous('/api/defects', { headers: asker(ALICE) })).status).toBe(401)
})
