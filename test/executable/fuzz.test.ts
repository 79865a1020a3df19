import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { project } from '../support/api.ts'
import { ALICE, OWNER, type TestApp, testApp } from '../support/app.ts'
import { healthy } from '../support/health.ts'
import { type Known, randomRequests } from '../support/random-requests.ts'
import { raw } from '../support/raw.ts'
import { everyRoute } from '../support/routes.ts'
import { until } from '../support/until.ts'

const REQUESTS = process.env.FAULTLINE_LONG ? 1_000_000 : 3_000
const SEEDS = process.env.FAULTLINE_SEED ? [Number(process.env.FAULTLINE_SEED)] : [1, 2]
const CONNECTIONS = 64
/** Of so many connections one sends several requests at once: what is malformed, or has to wait, ends it. */
const PIPELINED_EACH = 5
const PIPELINED = 8
const ANSWERED = /HTTP\/1\.1 ([2-5]\d\d) [A-Z]/g
/** How much the process may have grown between a quarter and the end. */
const GROWTH_MOST_MIB = 120

let app: TestApp
let known: Known
beforeAll(async () => {
  app = await testApp({ database: 'postgres', env: { LOG_LEVEL: 'warn' } })
  const paths = [
    ...new Set(everyRoute(app).map(({ path }) => path)),
    '/api/unknown',
    '/auth/nope',
    '/nothing',
  ]
  known = {
    paths: [
      ...paths,
      ...Array(3)
        .fill(paths.filter(path => /^.(api|$|sections)/.test(path)))
        .flat(),
    ],
    cookies: [await app.cookie(ALICE), await app.cookie(OWNER)],
    origin: app.origin,
    projectId: (await project(app)).id,
  }
})
afterAll(() => app.stop())

const pid = () => app.pid ?? process.pid
const openFiles = () => readdirSync(`/proc/${pid()}/fd`).length
const residentMib = () =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid()}/status`, 'utf8'))?.[1]) / 1024

/** Sends until so many were answered, and tells how; the bytes before a 500 are kept. */
async function send(next: () => string, count: number) {
  const statuses: Record<string, number> = {}
  const failures: string[] = []
  let answered = 0
  let sent = 0
  const memory: number[] = []
  async function connection() {
    while (answered < count) {
      const length = sent++ % PIPELINED_EACH ? 1 : PIPELINED
      const bytes = Array.from({ length }, next).join('')
      const until = (answer: string) => (answer.match(ANSWERED)?.length ?? 0) >= length
      const answer = await raw(app.origin, bytes, { waitMs: 1_000, until })
      for (const [, status = ''] of answer.matchAll(ANSWERED)) {
        statuses[status] = (statuses[status] ?? 0) + 1
        answered++
        if (status === '500') failures.push(bytes)
      }
      if (memory.length <= (answered / count) * 20) memory.push(Math.round(residentMib()))
      if (failures.length) return
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, connection))
  return { answered, statuses, failures, memory }
}

test.each(SEEDS)(
  'random requests, seed %d: no 500, and memory and files come back',
  async seed => {
    const filesBefore = openFiles()
    const { answered, statuses, failures, memory } = await send(
      randomRequests(seed, known),
      REQUESTS / SEEDS.length,
    )
    console.log(JSON.stringify({ seed, answered, statuses, memoryMib: memory }))
    expect(failures).toEqual([])
    expect(answered).toBeGreaterThanOrEqual(REQUESTS / SEEDS.length)
    // Each rule of the front was met, and so were the features behind it.
    for (const status of [200, 201, 302, 400, 401, 403, 404, 405, 413, 415, 422]) {
      if (REQUESTS > 100_000) expect([status, statuses[status] ?? 0]).not.toEqual([status, 0])
    }
    await healthy(app.origin)
    await until(
      () => openFiles() <= filesBefore + 12,
      () => `${filesBefore} files became ${openFiles()}`,
    )
    const quarter = memory[Math.floor(memory.length / 4)] ?? 0
    expect(memory.at(-1)! - quarter).toBeLessThan(GROWTH_MOST_MIB)
  },
  process.env.FAULTLINE_LONG ? 3_600_000 : 60_000,
)
