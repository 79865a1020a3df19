import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { project, report } from '../support/api.ts'
import { ALICE, type TestApp, testApp } from '../support/app.ts'
import { faultline, saidAndRecorded } from '../support/cli.ts'

describe.each(['embedded', 'postgres'] as const)('on %s', database => {
  let app: TestApp
  let ids: Record<string, string>
  beforeAll(async () => {
    app = await testApp({ database })
    ids = {}
    for (const name of ['Hinge', 'Hinge rework', 'Lamp']) ids[name] = (await project(app, name)).id
    const alice = app.as(ALICE)
    await report(alice, ids.Hinge!, 'Loose', 'cpu')
    await report(alice, ids['Hinge rework']!, 'Looser', 'cpu')
    await report(alice, ids['Hinge rework']!, 'Loosest', 'ethernet')
  })
  afterAll(() => app.stop())

  const run = (...args: string[]) =>
    faultline(args, { env: { ...app.env, LOG_LEVEL: 'warn', LOG_FORMAT: 'json' } })
  const parsed = async (...args: string[]) => JSON.parse((await run(...args, '--json')).out)

  test('counts and trends of one project', async () => {
    const project = ids['Hinge rework']!
    const counts: Record<string, number> = await parsed('counts', '--project', project, '--since', '1d')
    expect([counts.cpu, counts.ethernet, counts.memory]).toEqual([1, 1, 0])
    const trends = await parsed('trends', '--project', project, '--days', '2d')
    expect([trends.days, trends.sections.cpu, trends.change.cpu]).toEqual([2, [0, 1], 1])
    const drawn = (await run('trends', '--days', '3d')).out
    expect(drawn).toMatch(/^Processor +2 +▁▁█ +▲ 2$/m)
    expect(drawn).toContain('3 defects since')
    for (const command of ['counts', 'trends']) {
      const unknown = await run(command, '--project', '0190a6e0-1c2d-7e3f-8a4b-5c6d7e8f9a0b')
      expect(unknown).toMatchObject({ status: 2, out: '' })
      expect(unknown.err).toContain('--project: there is no project')
    }
    expect((await run('trends', '--days', '367d')).status).toBe(2)
  })

  test('a project is renamed, and not to the name of another one', async () => {
    const renamed = await run('projects', 'rename', 'lamp', 'Desk lamp')
    expect(renamed).toMatchObject({ status: 0, out: '' })
    const actor = expect.stringMatching(/^cli:uid=\d+$/)
    expect(saidAndRecorded(renamed)).toMatchObject({
      said: '"Lamp" is now "Desk lamp".',
      recorded: [{ event: 'project_renamed', actor, project: ids.Lamp, from: 'Lamp', to: 'Desk lamp' }],
    })
    const taken = await run('projects', 'rename', ids.Lamp!, 'HINGE')
    expect(taken).toMatchObject({ status: 2, err: 'faultline: the name is the name of another project\n' })
    const missing = await run('projects', 'rename', 'Nobody', 'Somebody')
    expect(missing.status).toBe(2)
    expect(missing.err).toContain('there is no project "Nobody"')
  })

  test('a merge says first what it would do, and then does it beside a running server', async () => {
    const merge = (...more: string[]) => run('projects', 'merge', 'Hinge rework', 'Hinge', ...more)
    const before = await parsed('projects')
    expect((await merge('--dry-run')).err).toBe(
      'Would move 2 defects from "Hinge rework" to "Hinge", and remove "Hinge rework".\n',
    )
    expect(await parsed('projects')).toEqual(before)
    expect(saidAndRecorded(await merge())).toMatchObject({
      said: 'Moved 2 defects from "Hinge rework" to "Hinge", and removed "Hinge rework".',
      recorded: [{ event: 'project_merged', project: ids['Hinge rework'], into: ids.Hinge, defects: 2 }],
    })
    expect(await parsed('projects')).toMatchObject([{ name: 'Desk lamp' }, { name: 'Hinge', defects: 3 }])
    expect(saidAndRecorded(await run('recount')).said).toBe('Every counter was right.')
    expect((await merge()).status).toBe(2)
    expect(await run('projects', 'merge', 'Hinge', ids.Hinge!)).toMatchObject({
      status: 2,
      err: 'faultline: a project cannot be merged into itself\n',
    })
  })
})
