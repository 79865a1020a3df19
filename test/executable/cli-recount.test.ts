import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import { type TestApp, testApp } from '../support/app.ts'
import { faultline, seed } from '../support/cli.ts'

describe.each(['embedded', 'postgres'] as const)('on %s', database => {
  let app: TestApp
  beforeAll(async () => {
    app = await testApp({ database })
    await seed(app.db, 8)
  })
  afterAll(() => app.stop())

  const recount = (...args: string[]) =>
    faultline(['recount', ...args], { env: { ...app.env, LOG_LEVEL: 'warn' } })

  test('recount prints what differed, beside a running server, and then nothing is wrong', async () => {
    await app.db.write(queries => queries.execute(sql`insert into section_totals values ('never-was', 0, 5)`))
    const mended = await recount()
    expect(mended).toMatchObject({ status: 0, err: '' })
    expect(mended.out.trim().split('\t')).toEqual(['never-was', 'in all', '5 kept', '0 counted'])
    expect(await recount()).toMatchObject({ status: 0, out: '', err: 'Every counter was right.\n' })
    expect((await recount('--json')).out.trim()).toBe('[]')
  })
})
