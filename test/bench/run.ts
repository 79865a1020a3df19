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
import { type Effort, figuresOf, filing, MIXED, mixed, named, perSecond, type Subject } from './figures.ts'
import { generator, type Measured } from './load.ts'
import { fileInto, findPgbench, PLAIN_FEED, pgbench } from './pgbench.ts'
import { executable, freshHome, startBaseline, startBytes, startProduct } from './product.ts'
import { inTurn, ratio, spread } from './rounds.ts'
import { type Seeded, seed } from './seed.ts'
import { rows, say, written } from './table.ts'

const quick = process.argv.includes('--quick')
const MANY = Number(argument('--rows') ?? (quick ? 100_000 : 1_000_000))
/** another build of the product: nothing but the two, in turn */
const other = argument('--against')
const FEW = 10_000

function argument(name: string): string | undefined {
  return process.argv.includes(name) ? process.argv.at(process.argv.indexOf(name) + 1) : undefined
}

const speeds = (rounds: Measured[] = []) => rounds.map(({ perSecond }) => perSecond)

const scratch = mkdtempSync(join(tmpdir(), 'faultline-bench-'))
const effort: Effort = { seconds: quick ? 1 : 2, rounds: quick ? 1 : 5, scratch }

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
    for (const [name, rounds] of Object.entries(large!))
      say(`${name}, ${MANY} rows`, spread(speeds(rounds)), '/s')
    await againstBytes(many)
    await againstPlain(cluster.url('many'), many)
    await againstPgbench(cluster.url('many'), many)
    await asTwo(cluster.url('many'), many)
    for (const name of Object.keys(small!).filter(name => name !== MIXED)) {
      const compared = ratio(speeds(large![name]), speeds(small![name]))
      say(`${name}: ${MANY} rows against ${FEW}`, compared, 'ratio', barOf(name))
    }
    const tail = large![MIXED]!.map(({ p99Ms, p50Ms }) => p99Ms / p50Ms)
    say(`${MIXED}: p99 over p50`, spread(tail), 'ratio', 'at most 4')
    await overTime(many)
    await many.product.stop()
  } finally {
    await cluster.remove()
  }
}

/** What very many reports match has more to sort through; it is bounded, not equal. */
function barOf(name: string): string {
  if (/frequent|one letter/.test(name)) return 'at least 0.25'
  return /project|search|trends/.test(name) ? 'at least 0.85' : 'at least 0.9'
}

async function prepared(url: string, count: number): Promise<Subject> {
  const target = { kind: 'postgres', url } as const
  await migrate(target)
  const db = connect(target)
  const seeded = await seed(db, count)
  await db.close()
  return { product: await startProduct(freshHome(scratch), url), ...seeded }
}

async function againstBytes({ product }: Subject) {
  const asked = [
    ['feed', '/api/defects', [1, 32, 128]],
    ['counts', '/api/defects/counts', [1, 32, 128]],
    ['board.svg', '/board.svg', [128]],
    ['health?live', '/api/health?live', [128]],
  ] as const
  for (const [what, path, all] of asked) {
    const bytes = await startBytes(product, path, scratch)
    for (const connections of all) {
      const [ours, theirs] = await inTurn(effort.rounds, [
        () => perSecond({ url: product.origin + path, headers: product.headers, connections }, effort),
        () => perSecond({ url: bytes.url, headers: product.headers, connections }, effort),
      ])
      const figure = `${named(what, connections)}, against Bun.serve with the same bytes and headers`
      say(figure, ratio(ours!, theirs!), 'ratio', connections === 128 ? 'at least 0.7' : undefined)
    }
    await bytes.stop()
  }
}

const feedOf = ({ product: { origin, headers } }: Subject, connections: number) => ({
  url: `${origin}/api/defects`,
  headers,
  connections,
})

async function againstPlain(url: string, subject: Subject) {
  const plain = await startBaseline('plain', url)
  for (const connections of [1, 32, 128]) {
    const [ours, theirs] = await inTurn(effort.rounds, [
      () => perSecond(feedOf(subject, connections), effort),
      () => perSecond({ url: plain.url, connections }, effort),
    ])
    const figure = `${named('feed', connections)}, against a plain Elysia + Drizzle route`
    say(figure, ratio(ours!, theirs!), 'ratio', connections === 32 ? 'at least 4' : undefined)
  }
  await plain.stop()
}

async function againstPgbench(url: string, subject: Subject) {
  if (!findPgbench()) return console.error('pgbench is not installed: its figures are left out')
  const client = createClient({ kind: 'postgres', url })
  const statement = feedQuery(client.queries, { limit: 50 }).getQuery().sql
  await client.end(1)
  const bench = (what: string, clients: number) => () => pgbench(url, what, clients, effort.seconds, scratch)
  const [ours, own, byHand] = await inTurn(effort.rounds, [
    () => perSecond(feedOf(subject, 1), effort),
    bench(statement, 1),
    bench(PLAIN_FEED, 1),
  ])
  say(`${named('feed', 1)}, against pgbench`, ratio(ours!, own!), 'ratio', 'at least 0.5')
  say(`${named('feed', 1)}, against pgbench reading a row an entry`, ratio(ours!, byHand!), 'ratio')
  for (const [clients, bar] of [
    [32, 'at least 1.5'],
    [128, 'at least 2'],
  ] as const) {
    const [filed, inserted] = await inTurn(effort.rounds, [
      () => perSecond(filing(subject, clients), effort),
      bench(fileInto(subject.projectId), clients),
    ])
    say(`${named('POST', clients)}, against pgbench`, ratio(filed!, inserted!), 'ratio', bar)
  }
}

/** Two instances on one database, each with as many connections as the one has. */
async function asTwo(url: string, one: Subject) {
  const product = await startProduct(freshHome(scratch), url)
  const two: Subject = { ...one, product }
  const [both, alone] = await inTurn(effort.rounds, [
    async () => {
      const each = await Promise.all([one, two].map(subject => perSecond(filing(subject, 64), effort)))
      return each.reduce((a, b) => a + b, 0)
    },
    () => perSecond(filing(one, 64), effort),
  ])
  say('POST, 64 connections each, two instances against one', ratio(both!, alone!), 'ratio', 'at least 1.2')
  await product.stop()
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

async function compare(database: string, subjects: [Subject, Subject]) {
  const [ours, theirs] = await figuresOf(subjects, effort)
  for (const [name, rounds] of Object.entries(ours!)) {
    const compared = ratio(speeds(rounds), speeds(theirs![name]))
    say(`${database}: ${name}, against the other build`, compared, 'ratio')
  }
  await knownAlready(database, subjects)
  for (const { product } of subjects) await product.stop()
}

/** To a page that has the feed, nothing is sent. */
async function knownAlready(database: string, [ours, theirs]: [Subject, Subject]) {
  const { url, headers } = feedOf(ours, 128)
  const etag = (await fetch(url, { headers })).headers.get('etag')
  if (!etag) throw new Error('the feed has no ETag')
  const [known, whole] = await inTurn(effort.rounds, [
    () => perSecond({ url, headers: { ...headers, 'if-none-match': etag }, connections: 128 }, effort),
    () => perSecond(feedOf(theirs, 128), effort),
  ])
  const figure = `${database}: feed, 128 connections, 304 against 200 of the other build`
  say(figure, ratio(known!, whole!), 'ratio', 'at least 2')
}

async function migratedAndSeeded(url: string, build: string): Promise<Subject> {
  const product = await startProduct(freshHome(scratch), url, build)
  const db = connect({ kind: 'postgres', url })
  const seeded = await seed(db, MANY)
  await db.close()
  return { product, ...seeded }
}

async function startedEmbedded(build: string): Promise<Subject> {
  const home = freshHome(scratch)
  const product = await startProduct(home, undefined, build)
  return { product, ...(await seedEmbedded(join(home, 'data'))) }
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
  const [figures] = await figuresOf([{ product, ...(await seedEmbedded(join(home, 'data'))) }], effort)
  for (const [name, rounds] of Object.entries(figures!))
    say(`embedded: ${name}, ${FEW} rows`, spread(speeds(rounds)), '/s')
  say('embedded: memory after the load', product.memoryMb(), 'MB')
  await product.stop()
}

async function seedEmbedded(dataDir: string): Promise<Seeded> {
  const opened = await openTarget({ dataDir, log: { level: 'error', format: 'json' } }, silentLog, {
    joinOnly: true,
  })
  const db = connect(opened.target)
  const seeded = await seed(db, FEW)
  await db.close()
  return seeded
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
