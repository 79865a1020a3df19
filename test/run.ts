/**
 * All tests, three processes at a time: units, the HTTP suite on both databases in this runtime and in the
 * compiled executable, the executable as a process, the real browser. The last line counts them.
 */
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { prepareTemplate, startCluster } from './support/postgres.ts'
import { prepareDataDir } from './support/prepared.ts'
import { installMissing } from './support/programs.ts'

/** Debian's packages, each by the program that it brings. */
const PROGRAMS = {
  chromium: '/usr/bin/chromium',
  'chromium-headless-shell': '/usr/bin/chromium-headless-shell',
  pgbouncer: '/usr/sbin/pgbouncer',
  'nginx-light': '/usr/sbin/nginx',
}
const BINARY = `${import.meta.dir}/../dist/faultline`
const root = `${import.meta.dir}/..`

/** Tests of the wire run on every database, in this runtime and in the executable. */
const wire = matching('test/**/*.wire.test.ts')
const executable = matching('test/executable/*.test.ts')
const browser = matching('test/browser/*.test.ts')
/** State classes of the page, in a process that looks like a page to them. */
const page = matching('test/web/**/*.test.ts')
const elsewhere = new Set([...wire, ...executable, ...browser, ...page])
const units = matching('test/**/*.test.ts').filter(path => !elsewhere.has(path))

interface Suite {
  name: string
  files: string[]
  env?: Record<string, string>
  /** what shares a process; without it all of them do */
  together?: (file: string) => string
}

/** A process has its price: small files share one by folder, long ones have their own. */
const byFolder = (file: string) => dirname(file)
const byFile = (file: string) => file
/** What starts a browser of its own shares it with others. */
const inGroups = (files: string[], groups: number) => (file: string) =>
  `${(files.indexOf(file) % groups) + 1} of ${groups}`

/** The longest first, so that all lanes end at about the same time. */
const suites: Suite[] = [
  { name: 'HTTP, executable, embedded', files: wire, env: { FAULTLINE_BINARY: BINARY } },
  {
    name: 'browser',
    files: browser,
    env: { FAULTLINE_BINARY: BINARY, FAULTLINE_DATABASE: 'postgres' },
    together: inGroups(browser, 6),
  },
  { name: 'HTTP, embedded', files: wire },
  { name: 'executable', files: executable, env: { FAULTLINE_BINARY: BINARY }, together: byFile },
  {
    name: 'HTTP, executable, PostgreSQL',
    files: wire,
    env: { FAULTLINE_BINARY: BINARY, FAULTLINE_DATABASE: 'postgres' },
  },
  { name: 'HTTP, PostgreSQL', files: wire, env: { FAULTLINE_DATABASE: 'postgres' } },
  { name: 'units', files: units, together: byFolder },
  { name: 'page', files: page },
]

/** One more than the cores it is meant for: a third of the time goes by in waiting for deadlines and disks. */
const LANES = 3
/** Each process hands out ports of its own, below those that systems hand out by themselves. */
const FIRST_PORT = 10_000
const PORTS_EACH = 200
let processes = 0
const SLOWEST = 10
const FAILURE_LINES = 40
const MEMORY = '/dev/shm'
const MEMORY_NEEDED = 4e9
const long = process.argv.includes('--long')
const only = process.argv.slice(2).filter(argument => !argument.startsWith('--'))
const total = { passed: 0, failed: 0, skipped: 0 }
const timings: { ms: number; test: string }[] = []
const failures: string[] = []

const scratch = mkdtempSync(join(scratchPlace(), 'faultline-run-'))
// Some tests run as another user.
chmodSync(scratch, 0o755)

await installMissing(PROGRAMS)
const cluster = await startCluster({ durable: false })
const prepared = join(scratch, 'prepared')
try {
  await Promise.all([prepareTemplate(cluster), prepareDataDir(prepared)])
  const queue = suites
    .filter(({ name }) => !only.length || only.some(word => name.includes(word)))
    .flatMap(jobs)
  await Promise.all(Array.from({ length: LANES }, () => lane(queue)))
} finally {
  await cluster.remove()
  rmSync(scratch, { recursive: true, force: true })
}
console.log(`\nThe ${SLOWEST} slowest tests:`)
for (const { ms, test } of timings.toSorted((a, b) => b.ms - a.ms).slice(0, SLOWEST)) {
  console.log(`${(ms / 1000).toFixed(1).padStart(6)} s  ${test}`)
}
if (failures.length) console.log(`\nWhat failed:\n\n${failures.join('\n\n')}\n`)
const skipped = total.skipped ? `, ${total.skipped} skipped` : ''
console.log(`${total.passed} passed, ${total.failed} failed${skipped}`)
process.exit(total.failed ? 1 : 0)

function jobs(suite: Suite): Suite[] {
  const { together, files, name } = suite
  if (!together || files.length === 0) return [suite]
  return Object.entries(Object.groupBy(files, together)).map(([place, files = []]) => ({
    ...suite,
    name: `${name}, ${place}`,
    files,
  }))
}

async function lane(queue: Suite[]): Promise<void> {
  for (let job = queue.shift(); job; job = queue.shift()) add(await run(job))
}

/** What it says is shown when it has ended, so that two at once do not speak at the same time. */
async function run({ name, files, env }: Suite) {
  if (files.length === 0) {
    failures.push(`== ${name}\nhas no tests`)
    return { passed: 0, failed: 1, skipped: 0 }
  }
  const started = performance.now()
  const child = Bun.spawn([process.execPath, 'test', '--timeout', long ? '1800000' : '120000', ...files], {
    cwd: root,
    env: {
      ...process.env,
      ...env,
      TMPDIR: scratch,
      FAULTLINE_TEST_PG_PORT: String(cluster.port),
      FAULTLINE_TEST_DATA_DIR: prepared,
      FAULTLINE_TEST_FIRST_PORT: String(FIRST_PORT + (processes++ % 100) * PORTS_EACH),
      ...(long ? { FAULTLINE_LONG: '1' } : {}),
    },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const said: string[] = []
  await Promise.all([child.stdout, child.stderr].map(stream => collect(stream, said)))
  const status = await child.exited
  const report = said.join('')
  const counts = {
    passed: count(report, 'pass'),
    failed: count(report, 'fail'),
    skipped: count(report, 'skip'),
  }
  // A suite that died, or that found no test, has failed even when no test of it did; skipped ones are told as such.
  const found = counts.passed + counts.skipped > 0
  if ((status !== 0 || !found) && counts.failed === 0) counts.failed = 1
  if (counts.failed) failures.push(`== ${name}, exit status ${status}\n${failuresIn(report)}`)
  timings.push(...timingsIn(report, name))
  const seconds = Math.round((performance.now() - started) / 1000)
  const computed = Math.round(Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1e6)
  const took = `${seconds} s, ${computed} s of them computing`
  console.log(`\n== ${name}\n${report.trim()}\n== ${name}: ${took}, ${JSON.stringify(counts)}`)
  return counts
}

/** In memory where there is room: embedded databases force every commit to the disk, and tests make many of them. */
function scratchPlace(): string {
  if (long || !existsSync(MEMORY)) return tmpdir()
  const { bavail, bsize } = statfsSync(MEMORY)
  return bavail * bsize > MEMORY_NEEDED ? MEMORY : tmpdir()
}

function matching(pattern: string): string[] {
  return [...new Bun.Glob(pattern).scanSync({ cwd: root })].sort().map(path => `./${path}`)
}

async function collect(stream: ReadableStream<Uint8Array>, said: string[]): Promise<void> {
  const decoder = new TextDecoder()
  for await (const part of stream) said.push(decoder.decode(part, { stream: true }))
}

function timingsIn(report: string, suite: string): typeof timings {
  return [...report.matchAll(/^\(pass\) (.+) \[([\d.]+)ms\]$/gm)].map(([, test, ms]) => ({
    ms: Number(ms),
    test: `${test} (${suite.split(', ./', 1)[0]})`,
  }))
}

/** What was said since the test before, down to the line that says which one failed; else the end of it all. */
function failuresIn(report: string): string {
  const lines = report.split('\n')
  const ends = lines.flatMap((line, at) => (/^\((pass|fail|skip)\) /.test(line) ? [at] : []))
  const told = ends.flatMap((end, index) =>
    lines[end]?.startsWith('(fail)')
      ? [lines.slice(Math.max((ends[index - 1] ?? -1) + 1, end - FAILURE_LINES), end + 1).join('\n')]
      : [],
  )
  return told.join('\n') || lines.slice(-FAILURE_LINES).join('\n')
}

function count(report: string, what: 'pass' | 'fail' | 'skip'): number {
  return Number(new RegExp(`^ *(\\d+) ${what}$`, 'm').exec(report)?.[1] ?? 0)
}

function add(counts: typeof total): void {
  total.passed += counts.passed
  total.failed += counts.failed
  total.skipped += counts.skipped
}
