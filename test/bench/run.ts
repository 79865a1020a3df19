/**
 * Measures the compiled executable on a real PostgreSQL, and prints ratios from this one run on this
 * one machine: absolute figures mean little elsewhere.
 */
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '../../server/db/client.ts'
import { connect } from '../../server/db/database.ts'
import { migrate } from '../../server/db/migrate.ts'
import { openTarget } from '../../server/db/open.ts'
import { feedQuery } from '../../server/defects/feed.ts'
import { silentLog } from '../../server/log.ts'
import { startCluster } from '../support/postgres.ts'
import { bundleKb } from './bundle.ts'
import {
  type Effort,
  type Figures,
  figuresOf,
  MIXED,
  measure,
  mixed,
  named,
  type Subject,
} from './figures.ts'
import { generator } from './load.ts'
import { fileInto, PLAIN_FEED, pgbench } from './pgbench.ts'
import { executable, freshHome, startBaseline, startProduct } from './product.ts'
import { seed } from './seed.ts'

const quick = process.argv.includes('--quick')
const MANY = quick ? 100_000 : 1_000_000
/** another build of the product: nothing but the two, in turn */
const other = process.argv.includes('--against')
  ? process.argv.at(process.argv.indexOf('--against') + 1)
  : undefined
const FEW = 10_000

interface Row {
  figure: string
  value: number
  unit: 'ratio' | 's' | 'MB' | 'kB' | '/s'
  bar?: string
}
const rows: Row[] = []
const say = (figure: string, value: number, unit: Row['unit'], bar?: string) => {
  rows.push({ figure, value, unit, ...(bar ? { bar } : {}) })
  const shown = value.toFixed(unit === '/s' ? 0 : 2).padStart(10)
  console.error(`${figure.padEnd(72)} ${shown} ${unit}${bar ? `  (${bar})` : ''}`)
}

const scratch = mkdtempSync(join(tmpdir(), 'faultline-bench-'))
const effort: Effort = { seconds: quick ? 1 : 4, rounds: quick ? 1 : 3, scratch }

async function onPostgres() {
  const cluster = await startCluster()
  try {
    const admin = connect({ kind: 'postgres', url: cluster.url('postgres') })
    for (const name of ['few', 'many'])
      await admin.write(queries => queries.execute(`create database ${name}`))
    await admin.close()
    const few = await prepared(cluster.url('few'), FEW)
    const many = await prepared(cluster.url('many'), MANY)
    say('start to first healthy answer, PostgreSQL', many.product.startedMs / 1000, 's', 'at most 0.4')
    await Bun.sleep(1_000)
    say('idle memory, PostgreSQL', many.product.memoryMb(), 'MB', 'at most 120')

    const [small, large] = await figuresOf([few, many], effort)
    say('memory after the load, PostgreSQL', many.product.memoryMb(), 'MB')
    await few.product.stop()
    for (const [name, figure] of Object.entries(large!)) say(`${name}, ${MANY} rows`, figure.perSecond, '/s')
    await againstBytes(many, large!)
    await againstPlain(cluster.url('many'), large!)
    await againstPgbench(cluster.url('many'), many, large!)
    for (const name of Object.keys(small!).filter(name => name !== MIXED)) {
      const ratio = large![name]!.perSecond / small![name]!.perSecond
      say(`${name}: ${MANY} rows against ${FEW}`, ratio, 'ratio', 'at least 0.85')
    }
    const { p99Ms, p50Ms } = large![MIXED]!
    say(`${MIXED}: p99 over p50`, p99Ms / p50Ms, 'ratio', 'at most 5')
    await overTime(many)
    await many.product.stop()
  } finally {
    await cluster.remove()
  }
}

async function prepared(url: string, count: number): Promise<Subject> {
  const target = { kind: 'postgres', url } as const
  await migrate(target)
  const db = connect(target)
  const projectId = await seed(db, count)
  await db.close()
  return { product: await startProduct(freshHome(scratch), url), projectId }
}

async function againstBytes({ product }: Subject, large: Figures) {
  for (const [what, path] of [
    ['feed', '/api/defects'],
    ['counts', '/api/defects/counts'],
  ] as const) {
    const file = join(scratch, `${what}.json`)
    writeFileSync(file, await (await fetch(product.origin + path, { headers: product.headers })).bytes())
    const bytes = await startBaseline('bytes', file)
    for (const connections of [1, 32, 128]) {
      const best = await measure({ url: bytes.url, connections }, effort)
      const name = named(what, connections)
      const bar = connections === 128 ? 'at least 0.35' : undefined
      say(
        `${name}, against Bun.serve with the same bytes`,
        large[name]!.perSecond / best.perSecond,
        'ratio',
        bar,
      )
    }
    await bytes.stop()
  }
}

async function againstPlain(url: string, large: Figures) {
  const plain = await startBaseline('plain', url)
  for (const connections of [1, 32, 128]) {
    const route = await measure({ url: plain.url, connections }, effort)
    const name = named('feed', connections)
    const bar = connections === 32 ? 'at least 4' : undefined
    say(
      `${name}, against a plain Elysia + Drizzle route`,
      large[name]!.perSecond / route.perSecond,
      'ratio',
      bar,
    )
  }
  await plain.stop()
}

async function againstPgbench(url: string, { projectId }: Subject, large: Figures) {
  const { seconds } = effort
  const client = createClient({ kind: 'postgres', url })
  const statement = feedQuery(client.queries, { limit: 50 }).getQuery().sql
  await client.end(1)
  const feed = await pgbench(url, statement, 1, seconds, scratch)
  const plain = await pgbench(url, PLAIN_FEED, 1, seconds, scratch)
  const file = await pgbench(url, fileInto(projectId), 32, seconds, scratch)
  if (!feed || !plain || !file) return console.error('pgbench is not installed: its figures are left out')
  const one = named('feed', 1)
  say(`${one}, against pgbench`, large[one]!.perSecond / feed, 'ratio', 'at least 0.5')
  say(`${one}, against pgbench reading a row an entry`, large[one]!.perSecond / plain, 'ratio')
  say(
    'POST, 32 connections, against pgbench',
    large[named('POST', 32)]!.perSecond / file,
    'ratio',
    'at least 0.6',
  )
}

/** Each build on a database that it migrated itself, so that neither meets the other's schema. */
async function againstBuild(path: string) {
  const cluster = await startCluster()
  try {
    const admin = connect({ kind: 'postgres', url: cluster.url('postgres') })
    for (const name of ['ours', 'theirs'])
      await admin.write(queries => queries.execute(`create database ${name}`))
    await admin.close()
    await compare('PostgreSQL', [
      await migratedAndSeeded(cluster.url('ours'), executable),
      await migratedAndSeeded(cluster.url('theirs'), path),
    ])
  } finally {
    await cluster.remove()
  }
  await compare('embedded', [await startedEmbedded(executable), await startedEmbedded(path)])
}

async function compare(database: string, subjects: Subject[]) {
  const [ours, theirs] = await figuresOf(subjects, effort)
  for (const [name, { perSecond }] of Object.entries(ours!))
    say(`${database}: ${name}, against the other build`, perSecond / theirs![name]!.perSecond, 'ratio')
  for (const { product } of subjects) await product.stop()
}

async function migratedAndSeeded(url: string, build: string): Promise<Subject> {
  const product = await startProduct(freshHome(scratch), url, build)
  const db = connect({ kind: 'postgres', url })
  const projectId = await seed(db, MANY)
  await db.close()
  return { product, projectId }
}

async function startedEmbedded(build: string): Promise<Subject> {
  const home = freshHome(scratch)
  const product = await startProduct(home, undefined, build)
  return { product, projectId: await seedEmbedded(join(home, 'data')) }
}

/** Ten minutes of the mix: what is kept for good shows as growth, what comes and goes does not. */
async function overTime(subject: Subject) {
  const fifth = quick ? 4 : 120
  const memory: number[] = []
  for (let i = 0; i < 5; i++) {
    await mixed(subject, { ...effort, seconds: fifth })
    memory.push(subject.product.memoryMb())
  }
  const [early, late] = [memory[0]!, memory.at(-1)!]
  say(`memory after ${5 * fifth} s of the mix`, late, 'MB')
  say(`memory after ${5 * fifth} s of the mix against ${fifth} s`, late / early, 'ratio', 'at most 1.1')
}

async function onEmbedded() {
  const home = freshHome(scratch)
  const fresh = await startProduct(home)
  say('start to first healthy answer, embedded, fresh', fresh.startedMs / 1000, 's', 'at most 2')
  await fresh.stop()
  const product = await startProduct(home)
  say('start to first healthy answer, embedded, existing', product.startedMs / 1000, 's', 'at most 1')
  const [figures] = await figuresOf([{ product, projectId: await seedEmbedded(join(home, 'data')) }], effort)
  for (const [name, figure] of Object.entries(figures!))
    say(`embedded: ${name}, ${FEW} rows`, figure.perSecond, '/s')
  say('embedded: memory after the load', product.memoryMb(), 'MB')
  await product.stop()
}

async function seedEmbedded(dataDir: string): Promise<string> {
  const opened = await openTarget({ dataDir, log: { level: 'error', format: 'json' } }, silentLog, {
    joinOnly: true,
  })
  const db = connect(opened.target)
  const projectId = await seed(db, FEW)
  await db.close()
  return projectId
}

function written(): string {
  const line = ({ figure, value, unit, bar = '' }: Row) =>
    `| ${figure} | ${value.toFixed(unit === '/s' || unit === 'MB' ? 0 : 2)} | ${unit} | ${bar} |`
  return ['| figure | value | unit | bar |', '|---|---|---|---|', ...rows.map(line), ''].join('\n')
}

try {
  console.error(`load by ${generator}, ${effort.rounds} rounds of ${effort.seconds} s, medians\n`)
  if (other) await againstBuild(other)
  else await measureAll()
  mkdirSync('test-output', { recursive: true })
  writeFileSync('test-output/bench.json', `${JSON.stringify(rows, null, 2)}\n`)
  console.log(written())
} finally {
  rmSync(scratch, { recursive: true, force: true })
}

async function measureAll() {
  await onPostgres()
  await onEmbedded()
  say('executable', statSync(executable).size / 2 ** 20, 'MB', 'at most 140')
  for (const [name, kb] of Object.entries(bundleKb())) say(`web bundle: ${name}, brotli`, kb, 'kB')
}
