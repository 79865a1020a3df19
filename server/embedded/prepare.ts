import crypto from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { dependencies } from '../../package.json'
import { assets } from '../assets.ts'

/**
 * Run by the build: PGlite's files and a data directory fresh from initdb, which takes seconds and so
 * is not done on a newcomer's first start. Made anew when PGlite or this file is another.
 */
async function prepare() {
  const version = dependencies['@electric-sql/pglite']
  const stamp = `${version}-${Bun.hash(readFileSync(import.meta.path)).toString(36)}`
  if (existsSync(join(assets.pglite, stamp))) return
  mkdirSync(dirname(assets.pglite), { recursive: true })
  const temporary = mkdtempSync(`${assets.pglite}.`)
  try {
    const files = join(temporary, 'pglite')
    mkdirSync(files)
    const shipped = dirname(Bun.resolveSync('@electric-sql/pglite', import.meta.dir))
    cpSync(join(shipped, 'pglite.wasm'), join(files, 'pglite.wasm'))
    const data = Bun.gzipSync(readFileSync(join(shipped, 'pglite.data')), { level: 9 })
    await Bun.write(join(files, 'pglite.data.gz'), data)
    await Bun.write(join(files, 'template.tar.gz'), await template(join(temporary, 'data')))
    await Bun.write(join(files, stamp), '')
    rmSync(assets.pglite, { recursive: true, force: true })
    renameSync(files, assets.pglite)
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
}

/** Taken from the directory of a database that was shut down, so that opening it needs no recovery. */
async function template(dataDir: string): Promise<Uint8Array> {
  makeRepeatable()
  const database = await PGlite.create(dataDir)
  await database.close()
  const entries: Record<string, Uint8Array | string> = {}
  for (const entry of readdirSync(dataDir, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const name = relative(dataDir, path)
    if (entry.isDirectory()) entries[`${name}/`] = ''
    else entries[name] = readFileSync(path)
  }
  const sorted = Object.entries(entries).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Bun.gzipSync(withoutTimes(await new Bun.Archive(Object.fromEntries(sorted)).bytes()), { level: 9 })
}

/**
 * Two builds of the same sources are the same bytes: initdb writes down the time and a random number, which
 * nothing relies on here, since nobody signs in to this database with a password.
 */
function makeRepeatable() {
  Date.now = () => 0
  performance.now = () => 0
  const fill = <T extends NodeJS.ArrayBufferView | null>(view: T): T => {
    if (view) new Uint8Array(view.buffer, view.byteOffset, view.byteLength).fill(1)
    return view
  }
  Object.assign(crypto, { randomFillSync: fill, getRandomValues: fill })
}

const BLOCK = 512
/** Where a header of tar holds the size of the file, its time and the sum of the header's bytes. */
const FIELDS = { size: [124, 136], time: [136, 148], sum: [148, 156] } as const

function withoutTimes(tar: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = Buffer.from(tar)
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`
  for (let at = 0; bytes[at]; ) {
    const header = bytes.subarray(at, at + BLOCK)
    const size = Number.parseInt(header.toString('latin1', ...FIELDS.size), 8)
    header.write(octal(0, 11), FIELDS.time[0], 'latin1')
    header.fill(' ', ...FIELDS.sum)
    header.write(
      octal(
        header.reduce((sum, byte) => sum + byte, 0),
        6,
      ),
      FIELDS.sum[0],
      'latin1',
    )
    at += BLOCK * (1 + Math.ceil(size / BLOCK))
  }
  return bytes
}

await prepare()
