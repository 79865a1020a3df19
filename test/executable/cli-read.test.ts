import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { FeedEntry } from '../../server/defects/entry.ts'
import { ALICE, OWNER, type TestApp, testApp } from '../support/app.ts'
import { executable, faultline, seed, toldHealthy } from '../support/cli.ts'

const COUNT = 40

describe.each(['embedded', 'postgres'] as const)('on %s', database => {
  describe.each(['beside a running server', 'with nobody else'])('%s', surroundings => {
    let app: TestApp
    let where: { env: Record<string, string> }
    let filed: Awaited<ReturnType<typeof seed>>
    let counts: Record<string, number>
    let feed: FeedEntry[]

    beforeAll(async () => {
      app = await testApp({ database })
      filed = await seed(app.db, COUNT, {
        verbatim: i => (i < 30 ? `report ${i} ${'long '.repeat(900)}end` : `report ${i}`),
      })
      const get = async <T>(path: string) => (await (await app.as(ALICE)(path)).json()) as T
      counts = await get('/api/defects/counts')
      feed = await get('/api/defects?limit=200')
      where = { env: { ...app.env, LOG_LEVEL: 'warn' } }
      if (surroundings === 'with nobody else') await app.halt()
    })
    afterAll(() => app.stop())

    const answers = new Map<string, ReturnType<typeof faultline>>()
    /** Nobody writes meanwhile: each command runs once, however many tests look at its answer. */
    const ok = async (...args: string[]) => {
      const asked = answers.get(args.join()) ?? faultline(args, where)
      answers.set(args.join(), asked)
      const { status, out, err } = await asked
      expect({ args, status, err }).toEqual({ args, status: 0, err: '' })
      return out
    }
    const parsed = async (...args: string[]) => JSON.parse(await ok(...args, '--json'))

    test('the counts are those of the API', async () => {
      expect(await parsed('counts')).toEqual(counts)
      const lines = (await ok('counts')).trimEnd().split('\n')
      expect(lines).toHaveLength(Object.keys(counts).length + 1)
      const numbers = lines.slice(0, -1).map(line => Number(/ (\d+)(?: |$)/.exec(line)?.[1]))
      expect(numbers).toEqual(Object.values(counts).sort((a, b) => b - a))
      expect(lines.at(-1)).toContain(`${COUNT} defects`)
    })

    test('each count is marked by its step of the legend, as on the map', async () => {
      const lines = (await ok('counts')).trimEnd().split('\n')
      const marks = lines.slice(0, -1).map(line => / (\d+) +(\S)/.exec(line)?.slice(1).join(' '))
      expect(marks).toEqual(
        Object.values(counts)
          .map(n => (n ? `${n} ▁` : '0 ·'))
          .sort()
          .reverse(),
      )
      expect(lines.at(-1)).toContain('▁ 1–10')
    })

    test('counts since today leave the days before out', async () => {
      const today: Record<string, number> = await parsed('counts', '--since', '1d')
      const midnight = new Date().setUTCHours(0, 0, 0, 0)
      const expected = filed.rows.filter(row => row.createdAt.getTime() >= midnight).length
      expect(Object.values(today).reduce((a, b) => a + b, 0)).toBe(expected)
    })

    test('the feed is that of the API', async () => {
      expect(await parsed('feed', '-n', '100')).toEqual(feed)
      const { section_id } = feed[0]!
      expect(await parsed('feed', '-n', '3', '--section', section_id, '--since', '366d')).toEqual(
        feed.filter(entry => entry.section_id === section_id).slice(0, 3),
      )
    })

    test('feed and tail are narrowed by project, the feed by words', async () => {
      const { project_id, verbatim } = feed[0]!
      const ofProject = feed.filter(entry => entry.project_id === project_id)
      expect(await parsed('feed', '-n', '100', '--project', project_id)).toEqual(ofProject)
      const lines = (await ok('tail', '-n', '100', '--project', project_id, '--json')).trimEnd().split('\n')
      expect(lines.map(line => JSON.parse(line))).toEqual(ofProject.toReversed())
      expect(await parsed('feed', '--search', verbatim.toUpperCase())).toEqual([feed[0]])
    })

    test('an export holds the whole narrowing, in a private file or in a pipe', async () => {
      const { section_id } = feed[0]!
      const here = feed.filter(entry => entry.section_id === section_id)
      const out = await ok('export', '--format', 'ndjson', '--section', section_id)
      expect(
        out
          .split('\n')
          .slice(0, -1)
          .map(line => JSON.parse(line)),
      ).toEqual(here)
      const file = join(mkdtempSync(join(tmpdir(), 'faultline-export-')), 'defects.csv')
      const { status } = await faultline(['export', file, '--format', 'csv'], where)
      expect([status, statSync(file).mode & 0o777]).toEqual([0, 0o600])
      const written = readFileSync(file, 'utf8')
      expect(written).toStartWith('\ufeffid,section_id,')
      for (const { id } of feed) expect(written).toContain(`\r\n${id},`)
      expect(readdirSync(dirname(file))).toEqual(['defects.csv'])
    })

    test('in a pipe every defect is one line with its fields between tabs', async () => {
      const lines = (await ok('feed', '-n', '100')).trimEnd().split('\n')
      expect(lines).toHaveLength(COUNT)
      for (const line of lines) expect(line.split('\t')).toHaveLength(5)
      expect(lines[1]).toContain('\treport 38')
    })

    test('the tail is the feed the other way round', async () => {
      const lines = (await ok('tail', '-n', '5', '--json')).trimEnd().split('\n')
      expect(lines.map(line => JSON.parse(line))).toEqual(feed.slice(0, 5).reverse())
      expect((await ok('tail', '-n', '0')).length).toBe(0)
    })

    test('projects come with their counts', async () => {
      const listed = await parsed('projects')
      expect(listed.map((project: { name: string }) => project.name)).toEqual([
        'Alpha',
        'beta "two"',
        '電源 unit',
      ])
      expect(listed.reduce((sum: number, project: { defects: number }) => sum + project.defects, 0)).toBe(
        COUNT,
      )
      expect(await ok('projects')).toMatch(/^14\tAlpha\t[0-9a-f-]{36}\n/)
    })

    test('nothing is pending after the server has been here', async () => {
      expect(await parsed('migrate', '--dry-run')).toEqual([])
      expect(await parsed('migrate')).toEqual([])
    })

    test('a reader that closes the pipe early is no fault', async () => {
      for (const command of ['feed -n 1000', 'feed -n 1000 --json', 'tail -n 1000', 'help', 'help feed']) {
        const shell = Bun.spawn(
          ['bash', '-c', `"$0" ${command} | head -1; echo "\${PIPESTATUS[0]}"`, executable],
          {
            env: { ...where.env, PATH: process.env.PATH ?? '' },
            stdout: 'pipe',
            stderr: 'pipe',
          },
        )
        const [out, err] = await Promise.all([
          new Response(shell.stdout).text(),
          new Response(shell.stderr).text(),
        ])
        expect(err).toBe('')
        expect(out.trimEnd().split('\n').at(-1)).toBe('0')
      }
    })

    test('a slow reader gets all of it', async () => {
      const shell = Bun.spawn(['bash', '-c', '"$0" feed -n 1000 --json | (sleep 1; cat)', executable], {
        env: { ...where.env, PATH: process.env.PATH ?? '' },
        stdout: 'pipe',
      })
      expect(JSON.parse(await new Response(shell.stdout).text())).toEqual(feed)
    })

    test('two at once do not stand in each other’s way, and leave nothing open or locked behind', async () => {
      const both = await Promise.all([1, 2].map(() => faultline(['counts', '--json'], where)))
      for (const { out } of both) expect(JSON.parse(out)).toEqual(counts)
      expect(existsSync(app.env.DATA_DIR!)).toBe(database === 'embedded')
    })

    test(`the health of the server is told ${surroundings}`, async () => {
      for (const args of [['healthcheck'], ['healthcheck', '--ready']]) {
        if (surroundings === 'with nobody else') {
          const { status, err } = await faultline(args, where)
          expect({ status, err }).toMatchObject({ status: 1 })
        } else {
          expect((await toldHealthy(args, where)).out).toBe('ok\n')
        }
      }
    })
  })
})

test('a server that listens everywhere is asked on loopback, and readiness is more than life', async () => {
  const app = await testApp({ database: 'postgres', env: { HOST: '0.0.0.0', OWNER_EMAIL: OWNER } })
  try {
    await toldHealthy(['healthcheck', '--ready'], { env: app.env })
    expect((await faultline(['healthcheck', '--ready'], { env: { ...app.env, HOST: '::' } })).status).toBe(1)
  } finally {
    await app.stop()
  }
})
