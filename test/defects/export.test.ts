import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connect, type Database } from '../../server/db/database.ts'
import { migrate } from '../../server/db/migrate.ts'
import { createDownloads } from '../../server/defects/export.ts'
import { DatabaseUnavailable, Refusal } from '../../server/errors.ts'
import { findOrCreateProject } from '../../server/projects/service.ts'
import { fileDefects } from '../support/defects.ts'
import { freshDatabase } from '../support/postgres.ts'

const MANY = 450
const asked = new Request('http://localhost/api/defects/export')

let db: Database
let database: Awaited<ReturnType<typeof freshDatabase>>
beforeAll(async () => {
  database = await freshDatabase()
  const target = { kind: 'postgres', url: database.url } as const
  await migrate(target)
  db = connect(target)
  const { project } = await findOrCreateProject(db, 'Export')
  await fileDefects(db, MANY, { projectId: project.id })
})
afterAll(async () => {
  await db.close()
  await database.drop()
})

test('two downloads at once; one that ended, was left or only asked about makes room for the next', async () => {
  const download = createDownloads(db)
  const next = () => download('ndjson', {}, asked)
  const one = next()
  const two = next()
  expect(next).toThrow(new Refusal('downloads_busy'))
  expect((await one.text()).split('\n')).toHaveLength(MANY + 1)
  const three = next()
  expect(next).toThrow(Refusal)
  await two.body?.cancel()
  for (let i = 0; i < 5; i++) download('csv', {}, new Request(asked, { method: 'HEAD' }))
  const four = next()
  expect(next).toThrow(Refusal)
  await Promise.all([three.text(), four.text()])
  await next().text()
})

test('a reader that stops holds nothing of the database: pages are read as they are asked for', async () => {
  let reads = 0
  const counted: Database = {
    ...db,
    read: (...given) => {
      reads++
      return db.read(...given)
    },
  }
  const reader = createDownloads(counted)('ndjson', {}, asked).body!.getReader()
  await reader.read()
  expect(reads).toBeLessThanOrEqual(2)
  await reader.cancel()
})

test('a fault on the way breaks the connection instead of ending the file, and makes room', async () => {
  let reads = 0
  const failing: Database = {
    ...db,
    read: (...given) => (++reads % 2 ? db.read(...given) : Promise.reject(new DatabaseUnavailable('gone'))),
  }
  const download = createDownloads(failing)
  const said: unknown[] = []
  using server = Bun.serve({
    port: 0,
    fetch: request => download('csv', {}, request, error => said.push(error)),
  })
  for (let i = 0; i < 4; i++) {
    const response = await fetch(server.url)
    expect(response.status).toBe(200)
    await expect(response.text()).rejects.toThrow()
    expect(said).toHaveLength(i + 1)
  }
})
