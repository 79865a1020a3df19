/**
 * Measures the compiled executable on a real PostgreSQL, and prints ratios from this one run on this
 * one machine: absolute figures mean little elsewhere.
 */
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '../../server/db/database.ts'
import { migrate } from '../../server/db/migrate.ts'
import { openTarget } from '../../server/db/open.ts'
import { silentLog } from '../../server/log.ts'
import { startCluster } from '../support/postgres.ts'
import { bundleKb } from './bundle.ts'
import { generator, load, type Measured, median, type Shot } from './load.ts'
import { pgbench } from './pgbench.ts'
import { executable, freshHome, type Product, startBaseline, startProduct } from './product.ts'
import { seed } from './seed.ts'

const quick = process.argv.includes('--quick')
const SECONDS = quick ? 1 : 4
const ROUNDS = quick ? 1 : 3
const MANY = quick ? 100_000 : 1_000_000
const FEW = 10_000
const CONNECTIONS = [1, 32, 128]

interface Row {
  figure: string
  value: number
  unit: 'ratio' | 's' | 'MB' | 'kB' | '/s'
  bar?: string
}
const rows: Row[] = []
const say = (figure: string, value: number, unit: Row['unit'], bar?: string) => {
  rows.push({ figure, value, unit, ...(bar ? { bar } : {}) })
  console.error(
    `${figure.padEnd(70)} ${value.toFixed(unit === '/s' ? 0 : 2).padStart(10)} ${unit}${bar ? `  (${bar})` : ''}`,
  )
}

const scratch = mkdtempSync(join(tmpdir(), 'faultline-bench-'))
const measure = (shot: Omit<Shot, 'seconds'>): Promise<Measured> =>
  median(ROUNDS, () => load({ ...shot, seconds: SECONDS }, scratch))

type Figures = Record<string, Measured>

/** Feed, section feed, counts and POST of one running product. */
async function figuresOf(product: Product, projectId: string): Promise<Figures> {
  const { origin, headers } = product
  const body = JSON.stringify({
    section_id: 'usb-port',
    project_id: projectId,
    verbatim: 'The shield is loose',
  })
  const figures: Figures = {}
  await load({ url: `${origin}/api/defects`, headers, connections: 32, seconds: SECONDS }, scratch)
  for (const connections of CONNECTIONS) {
    figures[`feed ${connections}`] = await measure({ url: `${origin}/api/defects`, headers, connections })
    figures[`section feed ${connections}`] = await measure({
      url: `${origin}/api/defects?section=cpu`,
      headers,
      connections,
    })
    figures[`counts ${connections}`] = await measure({
      url: `${origin}/api/defects/counts`,
      headers,
      connections,
    })
  }
  for (const connections of CONNECTIONS) {
    figures[`POST ${connections}`] = await measure({
      url: `${origin}/api/defects`,
      headers,
      connections,
      body,
    })
  }
  figures.mixed = await measure({
    url: `${origin}/api/defects`,
    headers,
    connections: 32,
    body,
    postPercent: 10,
  })
  for (const [name, { failed }] of Object.entries(figures))
    if (failed) console.error(`! ${name}: ${failed} requests failed`)
  return figures
}

async function onPostgres() {
  const cluster = await startCluster()
  try {
    const few = await seeded(cluster.url('postgres'), FEW)
    const fewProduct = await startProduct(freshHome(scratch), few.url)
    const small = await figuresOf(fewProduct, few.projectId)
    await fewProduct.stop()

    const admin = connect({ kind: 'postgres', url: cluster.url('postgres') })
    await admin.write(queries => queries.execute('create database large'))
    await admin.close()
    const many = await seeded(cluster.url('large'), MANY)
    const product = await startProduct(freshHome(scratch), many.url)
    say('start to first healthy answer, PostgreSQL', product.startedMs / 1000, 's', 'at most 0.4')
    await Bun.sleep(1_000)
    say('idle memory, PostgreSQL', product.memoryMb(), 'MB', 'at most 120')
    const large = await figuresOf(product, many.projectId)
    say('memory after the load', product.memoryMb(), 'MB')

    for (const [name, figure] of Object.entries(large))
      say(`${name} connections, ${MANY} rows`, figure.perSecond, '/s')
    await againstBytes(product, large)
    await againstPlain(many.url, large)
    await againstPgbench(many, large)
    for (const name of Object.keys(small).filter(key => key !== 'mixed')) {
      say(
        `${name}: ${MANY} rows against ${FEW}`,
        large[name]!.perSecond / small[name]!.perSecond,
        'ratio',
        'at least 0.85',
      )
    }
    const { p99Ms, p50Ms } = large.mixed!
    say('feed, 32 connections, 10 % POST: p99 over p50', p99Ms / p50Ms, 'ratio', 'at most 5')
    await product.stop()
  } finally {
    await cluster.remove()
  }
}

async function seeded(url: string, count: number) {
  const target = { kind: 'postgres', url } as const
  await migrate(target)
  const db = connect(target)
  const projectId = await seed(db, count)
  await db.close()
  return { url, projectId }
}

async function againstBytes(product: Product, large: Figures) {
  for (const [name, path, bar] of [
    ['feed', '/api/defects', 'at least 0.35'],
    ['counts', '/api/defects/counts', 'at least 0.35'],
  ] as const) {
    const file = join(scratch, `${name}.json`)
    writeFileSync(file, await (await fetch(product.origin + path, { headers: product.headers })).bytes())
    const bytes = await startBaseline('bytes', file)
    for (const connections of CONNECTIONS) {
      const best = await measure({ url: bytes.url, connections })
      const ratio = large[`${name} ${connections}`]!.perSecond / best.perSecond
      say(
        `${name}, ${connections} connections, against Bun.serve with the same bytes`,
        ratio,
        'ratio',
        connections === 128 ? bar : undefined,
      )
    }
    await bytes.stop()
  }
}

async function againstPlain(url: string, large: Figures) {
  const plain = await startBaseline('plain', url)
  for (const connections of CONNECTIONS) {
    const route = await measure({ url: plain.url, connections })
    const ratio = large[`feed ${connections}`]!.perSecond / route.perSecond
    say(
      `feed, ${connections} connections, against a plain Elysia + Drizzle route`,
      ratio,
      'ratio',
      connections === 32 ? 'at least 4' : undefined,
    )
  }
  await plain.stop()
}

async function againstPgbench({ url, projectId }: { url: string; projectId: string }, large: Figures) {
  const feed = await pgbench(url, { statement: 'feed' }, 1, SECONDS, scratch)
  const file = await pgbench(url, { statement: 'file', projectId }, 32, SECONDS, scratch)
  if (!feed || !file) return console.error('pgbench is not installed: its figures are left out')
  say(
    'feed, 1 connection, against pgbench, 1 client',
    large['feed 1']!.perSecond / feed,
    'ratio',
    'at least 0.5',
  )
  say(
    'POST, 32 connections, against pgbench, 32 clients',
    large['POST 32']!.perSecond / file,
    'ratio',
    'at least 0.6',
  )
}

async function onEmbedded() {
  const home = freshHome(scratch)
  const fresh = await startProduct(home)
  say('start to first healthy answer, embedded, fresh', fresh.startedMs / 1000, 's', 'at most 2')
  await fresh.stop()
  const existing = await startProduct(home)
  say('start to first healthy answer, embedded, existing', existing.startedMs / 1000, 's', 'at most 1')
  const opened = await openTarget(
    { dataDir: join(home, 'data'), log: { level: 'error', format: 'json' } },
    silentLog,
    { joinOnly: true },
  )
  const db = connect(opened.target)
  const projectId = await seed(db, FEW)
  await db.close()
  const figures = await figuresOf(existing, projectId)
  for (const [name, figure] of Object.entries(figures))
    say(`embedded: ${name} connections, ${FEW} rows`, figure.perSecond, '/s')
  say('embedded: memory after the load', existing.memoryMb(), 'MB')
  await existing.stop()
}

try {
  console.error(`load by ${generator}, ${ROUNDS} rounds of ${SECONDS} s, medians\n`)
  await onPostgres()
  await onEmbedded()
  say('executable', statSync(executable).size / 2 ** 20, 'MB', 'at most 140')
  for (const [name, kb] of Object.entries(bundleKb())) say(`web bundle: ${name}, brotli`, kb, 'kB')
  mkdirSync('test-output', { recursive: true })
  writeFileSync('test-output/bench.json', `${JSON.stringify(rows, null, 2)}\n`)
  console.table(
    rows.map(({ figure, value, unit, bar }) => ({
      figure,
      value: Number(value.toFixed(2)),
      unit,
      bar: bar ?? '',
    })),
  )
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
