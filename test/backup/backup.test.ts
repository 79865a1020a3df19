import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { writeBackup } from '../../server/backup/backup.ts'
import { BrokenBackup } from '../../server/backup/format.ts'
import { NotEmpty, restoreBackup, verifyBackup } from '../../server/backup/restore.ts'
import { FORMAT, type Kind, kinds } from '../../server/backup/tables.ts'
import { connect, type Database } from '../../server/db/database.ts'
import { migrate } from '../../server/db/migrate.ts'
import {
  defects,
  projectAliases,
  projects,
  pushSubscriptions,
  sections,
  sessionCutoffs,
} from '../../server/db/schema.ts'
import { rebuildCounts } from '../../server/defects/recount.ts'
import { contents } from '../support/contents.ts'
import { freshDatabase } from '../support/postgres.ts'

const home = mkdtempSync(join(tmpdir(), 'faultline-backup-'))
const drops: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const drop of drops) await drop()
  rmSync(home, { recursive: true })
})

async function emptyDatabase(): Promise<Database> {
  const { url, drop } = await freshDatabase()
  await migrate({ kind: 'postgres', url })
  const db = connect({ kind: 'postgres', url })
  drops.push(async () => {
    await db.close()
    await drop()
  })
  return db
}

const time = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms)

/** Two and a half pages, equal times among them, and text that breaks careless formats. */
async function fill(db: Database) {
  const [first, second] = [Bun.randomUUIDv7(), Bun.randomUUIDv7()]
  const texts = [
    'plain',
    'two\nlines\r\n\ttab',
    '"quotes" \\ back',
    '電源 👩‍🔧',
    "'; drop table defects; --",
    '\u2028\x1b[31m',
  ]
  await db.write(queries =>
    queries.insert(projects).values([
      { id: first, name: 'İstanbul', createdAt: time(1) },
      { id: second, name: 'Σ "two"', createdAt: time(2) },
    ]),
  )
  const rows = Array.from({ length: 2_500 }, (_, i) => ({
    id: Bun.randomUUIDv7(),
    sectionId: `section-${i % 7}`,
    projectId: i % 2 ? first : second,
    verbatim: `${texts[i % texts.length]} ${i}`,
    reporter: `person${i % 3}@example.com`,
    createdAt: time(Math.floor(i / 10) * 3_600_000),
    idempotencyKey: i % 5 ? null : `key-${i}`,
  }))
  await db.write(queries => queries.insert(defects).values(rows))
  await db.write(queries =>
    queries.insert(projectAliases).values({ id: Bun.randomUUIDv7(), projectId: first }),
  )
  await db.write(queries =>
    queries.insert(sections).values([
      { id: 'section-1', label: 'One', firstDay: '2026-01-01' },
      { id: 'section-2', label: 'Gone', firstDay: '2025-12-31', lastDay: '2026-01-02' },
    ]),
  )
  await db.write(queries =>
    queries.insert(sessionCutoffs).values({ email: 'alice@example.com', endedBefore: time(5) }),
  )
  await db.write(queries =>
    queries.insert(pushSubscriptions).values({
      endpoint: 'https://push.example/1',
      p256dh: 'p',
      auth: 'a',
      ownerEmail: 'owner@example.com',
      vapidPublicKey: 'v',
      createdAt: time(3),
      lastOutcome: '201',
      lastOutcomeAt: time(4),
    }),
  )
}

describe('a backup', () => {
  const file = join(home, 'whole.ndjson.gz')
  let source: Database

  beforeAll(async () => {
    source = await emptyDatabase()
    await fill(source)
    await writeBackup(source, file, { version: '1.2.3' })
  })

  test('is private, whole, and leaves nothing else behind', async () => {
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readdirSync(home).filter(name => name.endsWith('.partial'))).toEqual([])
    const { rows, header } = await verifyBackup(file)
    expect(rows).toEqual({ projects: 2, aliases: 1, sections: 2, defects: 2_500, devices: 1, cutoffs: 1 })
    expect(header).toMatchObject({ version: '1.2.3', rows })
  })

  test('comes back row for row, with the counts', async () => {
    const target = await emptyDatabase()
    await restoreBackup(target, file, await verifyBackup(file))
    expect(await contents(target)).toEqual(await contents(source))
    expect(await rebuildCounts(target)).toEqual([])
  })

  test('is not restored over anything', async () => {
    const verified = await verifyBackup(file)
    const before = await contents(source)
    expect(restoreBackup(source, file, verified)).rejects.toBeInstanceOf(NotEmpty)
    expect(await contents(source)).toEqual(before)
  })

  test('that cannot be written leaves no file', async () => {
    const unwritable = join(home, 'missing', 'x.gz')
    expect(writeBackup(source, unwritable, { version: '1' })).rejects.toThrow('ENOENT')
    const stop = new AbortController()
    const interrupted = writeBackup(source, join(home, 'never.gz'), {
      version: '1',
      signal: stop.signal,
      onRows: () => stop.abort(),
    })
    expect(interrupted).rejects.toThrow()
    await interrupted.catch(() => {})
    expect(readdirSync(home).filter(name => name.includes('never'))).toEqual([])
  })

  test('that fails half-way through its restore leaves the database empty', async () => {
    const target = await emptyDatabase()
    const lines = gunzipSync(await Bun.file(file).bytes())
      .toString()
      .trimEnd()
      .split('\n')
    const twice = join(home, 'twice.gz')
    writeFileSync(twice, resealed([...lines.slice(0, -1), lines.at(-3)!]))
    const verified = await verifyBackup(twice)
    expect(restoreBackup(target, twice, verified)).rejects.toThrow()
    await restoreBackup(target, twice, verified).catch(() => {})
    const { projects, defects, totals } = await contents(target)
    expect({ projects, defects, totals }).toEqual({ projects: [], defects: [], totals: {} })
  })
})

/** The file that a careful forger would make: the checksum and the number of rows are right. */
function resealed(lines: string[]): Buffer {
  const rows = Object.fromEntries(Object.keys(JSON.parse(lines[0]!).rows).map(plural => [plural, 0]))
  for (const line of lines.slice(1)) {
    const kind = Object.keys(JSON.parse(line))[0] as Kind
    rows[kinds[kind].plural]!++
  }
  const text = lines.map(line => `${line}\n`).join('')
  const sha256 = new Bun.CryptoHasher('sha256').update(text).digest('hex')
  return gzipSync(`${text}${JSON.stringify({ end: rows, sha256 })}\n`)
}

describe('a file that is not a whole backup is refused', () => {
  const header = JSON.stringify({
    faultline: 'backup',
    format: 1,
    version: '1',
    created_at: '2026-01-01T00:00:00.000Z',
    rows: { projects: 0, defects: 0, devices: 0 },
  })
  const id = '0190a6e0-1c2d-7e3f-8a4b-5c6d7e8f9a0b'
  const project = { project: { id, name: 'A', created_at: '2026-01-01T00:00:00.000Z' } }
  const defect = {
    defect: {
      id,
      section_id: 's',
      project_id: id,
      verbatim: 'v',
      reporter: 'r',
      created_at: '2026-01-01T00:00:00.000Z',
      idempotency_key: null,
    },
  }
  const whole = resealed([header, JSON.stringify(project), JSON.stringify(defect)])
  const text = gunzipSync(whole).toString()
  const file = join(home, 'broken.gz')
  const refused = async (content: Uint8Array | string) => {
    writeFileSync(file, content)
    const error = await verifyBackup(file).catch(error => error)
    expect(error).toBeInstanceOf(BrokenBackup)
  }

  test('while the whole one is accepted', async () => {
    writeFileSync(file, whole)
    expect((await verifyBackup(file)).rows).toMatchObject({ projects: 1, defects: 1, devices: 0 })
  })

  test('cut short at any byte', async () => {
    for (let length = 0; length < whole.length; length++) {
      writeFileSync(file, whole)
      truncateSync(file, length)
      await refused(await Bun.file(file).bytes())
    }
  })

  test('with any bit turned over, unless the bit says nothing about the content', async () => {
    writeFileSync(file, whole)
    const original = await verifyBackup(file)
    let harmless = 0
    for (let bit = 0; bit < whole.length * 8; bit += 3) {
      const changed = Uint8Array.from(whole)
      changed[bit >> 3]! ^= 1 << (bit & 7)
      writeFileSync(file, changed)
      const found = await verifyBackup(file).catch(error => error)
      if (found instanceof BrokenBackup) continue
      expect(found).toEqual(original)
      harmless++
    }
    // Time, system and flags of the gzip header.
    expect(harmless).toBeLessThan(40)
  })

  test('with a line changed, taken away or added', async () => {
    await refused(gzipSync(text.replace('"v"', '"w"')))
    await refused(gzipSync(text.replace(/.*"defect".*\n/, '')))
    await refused(gzipSync(`${text}${JSON.stringify(project)}\n`))
    await refused(Buffer.concat([whole, gzipSync(`${JSON.stringify(project)}\n`)]))
    await refused(gzipSync(text.trimEnd()))
  })

  test('of another kind or a later format', async () => {
    await refused('')
    await refused('not compressed')
    await refused(gzipSync('{}\n'))
    await refused(gzipSync(`${'x'.repeat(3 << 20)}`))
    await refused(resealed([header.replace('"format":1', '"format":0')]))
    await refused(resealed([header.replace('"format":1', `"format":${FORMAT + 1}`)]))
  })

  test('with rows that cannot be', async () => {
    const rows = [
      { defect: { ...defect.defect, verbatim: 'nul \0' } },
      { defect: { ...defect.defect, created_at: '2026-02-31T00:00:00.000Z' } },
      { defect: { ...defect.defect, id: 'urn:uuid:x' } },
      { defect: { ...defect.defect, more: 1 } },
      { project: { ...project.project, name: 'half \ud800' } },
    ]
    for (const row of rows) await refused(resealed([header, JSON.stringify(project), JSON.stringify(row)]))
    await refused(resealed([header, JSON.stringify(defect)]))
  })

  test('and the file that is not there is not called broken', async () => {
    expect(verifyBackup(join(home, 'nowhere'))).rejects.toThrow('ENOENT')
    expect(existsSync(join(home, 'nowhere'))).toBe(false)
  })
})
