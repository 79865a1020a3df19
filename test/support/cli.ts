import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadBoard } from '../../server/board/board.ts'
import type { Database } from '../../server/db/database.ts'
import { projects } from '../../server/db/schema.ts'
import { fileDefects } from './defects.ts'
import { until } from './until.ts'

export const executable = process.env.FAULTLINE_BINARY ?? join(import.meta.dir, '../../dist/faultline')

export interface Ended {
  status: number
  out: string
  err: string
}

export interface Surroundings {
  env?: Record<string, string>
  cwd?: string
}

export interface Home {
  path: string
  file(name: string): string
  remove(): void
}

/** An empty directory to be in. */
export function home(): Home {
  const path = mkdtempSync(join(tmpdir(), 'faultline-cli-'))
  return {
    path,
    file: name => join(path, name),
    remove: () => rmSync(path, { recursive: true, force: true }),
  }
}

const surroundings = ({ env = {}, cwd = tmpdir() }: Surroundings) => ({
  cwd,
  env: { PATH: process.env.PATH ?? '', LANG: 'C.UTF-8', TZ: 'UTC', LOG_FORMAT: 'pretty', ...env },
})

/** What a command said, and what it recorded for the audit trail. */
export function saidAndRecorded({ err }: Ended) {
  const lines = err.trim().split('\n')
  const isRecord = (line: string) => line.startsWith('{')
  return {
    said: lines.filter(line => !isRecord(line)).join('\n'),
    recorded: lines.filter(isRecord).map(line => JSON.parse(line)),
  }
}

/** Runs the executable with its output in pipes. */
export async function faultline(args: string[], where: Surroundings = {}): Promise<Ended> {
  const child = Bun.spawn([executable, ...args], { ...surroundings(where), stdout: 'pipe', stderr: 'pipe' })
  const [out, err, status] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { status, out, err }
}

/** A health check asks once and briefly, and a busy server may be late for it: asked until it is told `ok`. */
export async function toldHealthy(args: string[], where: Surroundings): Promise<Ended> {
  let told: Ended | undefined
  await until(
    async () => {
      told = await faultline(args, where)
      return told.status === 0
    },
    () => `${args.join(' ')} says ok: ${told?.err}`,
  )
  return told!
}

/** The same with its output on a terminal, where both streams meet. */
export async function onTerminal(
  args: string[],
  where: Surroundings & { columns?: number } = {},
): Promise<{ status: number; screen: string }> {
  const decoder = new TextDecoder()
  let screen = ''
  const child = Bun.spawn([executable, ...args], {
    ...surroundings({ ...where, env: { TERM: 'xterm-256color', ...where.env } }),
    terminal: {
      cols: where.columns ?? 100,
      rows: 40,
      data(_terminal, data) {
        screen += decoder.decode(data, { stream: true })
      },
    },
  })
  const status = await child.exited
  child.terminal?.close()
  return { status, screen: screen.replaceAll('\r\n', '\n') }
}

export interface Going {
  pid: number
  out: string[]
  err: string[]
  /** settles as soon as the line was written to standard output or standard error */
  says(line: RegExp): Promise<string>
  signal(signal: NodeJS.Signals): Promise<number>
}

/** Starts the executable and reads along, line by line. */
export function going(args: string[], where: Surroundings = {}): Going {
  const child = Bun.spawn([executable, ...args], { ...surroundings(where), stdout: 'pipe', stderr: 'pipe' })
  const self = { pid: child.pid, out: [] as string[], err: [] as string[] }
  const listeners = new Set<() => void>()
  const follow = async (stream: ReadableStream<Uint8Array>, lines: string[]) => {
    let rest = ''
    const decoder = new TextDecoder()
    for await (const chunk of stream) {
      const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n')
      rest = parts.pop() ?? ''
      lines.push(...parts)
      for (const listener of listeners) listener()
    }
  }
  const everythingSaid = Promise.all([follow(child.stdout, self.out), follow(child.stderr, self.err)])
  return {
    ...self,
    says(line) {
      const { promise, resolve, reject } = Promise.withResolvers<string>()
      const look = () => {
        const found = [...self.out, ...self.err].find(text => line.test(text))
        if (found !== undefined) resolve(found)
      }
      listeners.add(look)
      look()
      everythingSaid.then(() =>
        reject(new Error(`ended without ${line}: ${[...self.out, ...self.err].join('\n')}`)),
      )
      return promise.finally(() => listeners.delete(look))
    },
    async signal(signal) {
      child.kill(signal)
      return child.exited
    },
  }
}

export const sections = () => [...loadBoard().sections.keys()]

/** Straight into the database: `count` defects on each of the first sections in turn, newest last. */
export async function seed(db: Database, count: number, more: { verbatim?: (i: number) => string } = {}) {
  const names = ['Alpha', 'beta "two"', '電源 unit']
  const shared = names.map((name, i) => ({
    id: Bun.randomUUIDv7(),
    name,
    createdAt: new Date(Date.UTC(2026, 0, 1) + i),
  }))
  const known = sections()
  const start = Date.now() - count * 60_000
  await db.write(queries => queries.insert(projects).values(shared))
  const rows = await fileDefects(db, count, i => ({
    sectionId: known[i % Math.min(4, known.length)]!,
    projectId: shared[i % shared.length]!.id,
    verbatim: more.verbatim?.(i) ?? `report ${i}`,
    reporter: i % 2 ? 'alice@example.com' : 'bob@example.com',
    createdAt: new Date(start + i * 60_000),
    idempotencyKey: i % 3 ? null : `key-${i}`,
  }))
  return { rows, projects: shared }
}
