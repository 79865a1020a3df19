import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import { type TestApp, testApp } from '../support/app.ts'
import { faultline, saidAndRecorded, seed } from '../support/cli.ts'

describe.each(['embedded', 'postgres'] as const)('on %s', database => {
  let app: TestApp
  beforeAll(async () => {
    app = await testApp({ database })
    await seed(app.db, 8)
  })
  afterAll(() => app.stop())

  const recount = (...args: string[]) =>
    faultline(['recount', ...args], { env: { ...app.env, LOG_LEVEL: 'warn', LOG_FORMAT: 'json' } })

  test('recount prints what differed, beside a running server, and then nothing is wrong', async () => {
    await app.db.write(queries => queries.execute(sql`insert into section_totals values ('never-was', 0, 5)`))
    const mended = await recount()
    expect(mended.status).toBe(0)
    expect(saidAndRecorded(mended)).toMatchObject({
      said: '',
      recorded: [{ event: 'counters_rebuilt', differed: 1 }],
    })
    expect(mended.out.trim().split('\t')).toEqual(['never-was', 'in all', '5 kept', '0 counted'])
    const again = await recount()
    expect(again).toMatchObject({ status: 0, out: '' })
    expect(saidAndRecorded(again).said).toBe('Every counter was right.')
    expect((await recount('--json')).out.trim()).toBe('[]')
  })
})
