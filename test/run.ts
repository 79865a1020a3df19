/**
 * All tests, one after the other: units, the HTTP suite on both databases in this runtime and in the
 * compiled executable, the executable as a process, the real browser. The last line counts them.
 */
import { existsSync } from 'node:fs'
import { startCluster } from './support/postgres.ts'

const CHROMIUM = '/usr/bin/chromium'
const BINARY = `${import.meta.dir}/../dist/faultline`
const root = `${import.meta.dir}/..`

/** Tests of the wire run on every database, in this runtime and in the executable. */
const wire = matching('test/**/*.wire.test.ts')
const executable = matching('test/executable/*.test.ts')
const browser = matching('test/browser/*.test.ts')
const elsewhere = new Set([...wire, ...executable, ...browser])
const units = matching('test/**/*.test.ts').filter(path => !elsewhere.has(path))

interface Suite {
  name: string
  files: string[]
  env?: Record<string, string>
}

const suites: Suite[] = [
  { name: 'units', files: units },
  { name: 'HTTP, embedded', files: wire },
  { name: 'HTTP, PostgreSQL', files: wire, env: { FAULTLINE_DATABASE: 'postgres' } },
  { name: 'HTTP, executable, embedded', files: wire, env: { FAULTLINE_BINARY: BINARY } },
  {
    name: 'HTTP, executable, PostgreSQL',
    files: wire,
    env: { FAULTLINE_BINARY: BINARY, FAULTLINE_DATABASE: 'postgres' },
  },
  { name: 'executable', files: executable, env: { FAULTLINE_BINARY: BINARY } },
  { name: 'browser', files: browser, env: { FAULTLINE_BINARY: BINARY } },
]

const long = process.argv.includes('--long')
const only = process.argv.slice(2).filter(argument => !argument.startsWith('--'))
const total = { passed: 0, failed: 0, skipped: 0 }

await ensureChromium()
const cluster = await startCluster()
try {
  for (const suite of suites) {
    if (only.length && !only.some(word => suite.name.includes(word))) continue
    add(await runSuite(suite))
  }
} finally {
  await cluster.remove()
}
const skipped = total.skipped ? `, ${total.skipped} skipped` : ''
console.log(`${total.passed} passed, ${total.failed} failed${skipped}`)
process.exit(total.failed ? 1 : 0)

async function runSuite({ name, files, env }: Suite) {
  console.log(`\n== ${name}: ${files.length} files`)
  if (files.length === 0) return { passed: 0, failed: 1, skipped: 0 }
  const started = performance.now()
  const child = Bun.spawn([process.execPath, 'test', '--timeout', long ? '1800000' : '60000', ...files], {
    cwd: root,
    env: {
      ...process.env,
      ...env,
      FAULTLINE_TEST_PG_PORT: String(cluster.port),
      ...(long ? { FAULTLINE_LONG: '1' } : {}),
    },
    stdout: 'inherit',
    stderr: 'pipe',
  })
  const report = await shown(child.stderr)
  const status = await child.exited
  const counts = {
    passed: count(report, 'pass'),
    failed: count(report, 'fail'),
    skipped: count(report, 'skip'),
  }
  // A suite that died, or that found no test, has failed even when no test of it did; skipped ones are told as such.
  const found = counts.passed + counts.skipped > 0
  if ((status !== 0 || !found) && counts.failed === 0) counts.failed = 1
  console.log(`== ${name}: ${Math.round((performance.now() - started) / 1000)} s, ${JSON.stringify(counts)}`)
  return counts
}

function matching(pattern: string): string[] {
  return [...new Bun.Glob(pattern).scanSync({ cwd: root })].sort().map(path => `./${path}`)
}

async function shown(stream: ReadableStream<Uint8Array>): Promise<string> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of stream) {
    const part = decoder.decode(chunk, { stream: true })
    process.stdout.write(part)
    text += part
  }
  return text
}

function count(report: string, what: 'pass' | 'fail' | 'skip'): number {
  return Number(new RegExp(`^ *(\\d+) ${what}$`, 'm').exec(report)?.[1] ?? 0)
}

function add(counts: typeof total): void {
  total.passed += counts.passed
  total.failed += counts.failed
  total.skipped += counts.skipped
}

/** The browser's tests need a Chromium; as root on Debian it is installed, else they say that they skip. */
async function ensureChromium(): Promise<void> {
  if (existsSync(CHROMIUM) || process.getuid?.() !== 0 || !Bun.which('apt-get')) return
  console.log('installing Chromium')
  for (const command of [['update'], ['install', '-y', '--no-install-recommends', 'chromium']]) {
    const child = Bun.spawn(['apt-get', '-qq', ...command], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'inherit',
    })
    await child.exited
  }
}
