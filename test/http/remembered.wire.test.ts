import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mergeProjects } from '../../server/projects/merge.ts'
import { problemOf, project, report } from '../support/api.ts'
import { ALICE, BOB, type TestApp, testApp } from '../support/app.ts'

/** From the second time on the front answers without asking the framework. */
let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.stop())

const reads = [
  '/api/defects',
  '/api/defects?section=cpu&limit=3',
  '/api/defects/counts',
  '/api/defects/counts?by=project',
  '/api/defects/trends?days=7d',
  '/api/projects',
]

test('who has no session, or one of somebody else than the page was opened for, is told nothing', async () => {
  const alice = app.as(ALICE)
  for (const path of reads) {
    const [first, second] = [await alice(path), await alice(path)]
    expect([path, first.status, second.status]).toEqual([path, 200, 200])
    expect(await second.text()).toBe(await first.text())
    expect([path, (await app.anonymous(path)).status]).toEqual([path, 401])
    const asBob = await alice(path, { headers: { 'x-signed-in-as': BOB } })
    expect([path, asBob.status]).toEqual([path, 401])
    const elsewhere = await alice(path, { method: 'POST', headers: { origin: 'https://evil.test' } })
    expect([path, elsewhere.status]).toEqual([path, 403])
  }
})

test('what was filed meanwhile is in it', async () => {
  const alice = app.as(ALICE)
  const path = '/api/defects?section=usb-port'
  for (const count of [1, 2, 3]) {
    await report(alice, (await project(app)).id)
    expect(await (await alice(path)).json()).toHaveLength(count)
    const counts = (await (await alice('/api/defects/counts')).json()) as Record<string, number>
    expect(counts['usb-port']).toBe(count)
  }
})

test('what it is narrowed to must still be there', async () => {
  const alice = app.as(ALICE)
  const [from, into] = [(await project(app, 'Goes')).id, (await project(app, 'Stays')).id]
  const paths = ['/api/defects', '/api/defects/counts', '/api/defects/trends'].map(
    path => `${path}?project=${from}`,
  )
  for (const path of [...paths, ...paths]) expect((await alice(path)).status).toBe(200)
  await mergeProjects(app.db, from, into)
  for (const path of paths) {
    const refused = await alice(path)
    expect([path, refused.status]).toEqual([path, 422])
    expect((await problemOf(refused)).errors).toEqual([
      { field: 'project', message: 'is not an existing project' },
    ])
  }
})
