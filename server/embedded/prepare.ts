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
 * is not done on a newcomer's first start. Made once for each version of PGlite.
 */
async function prepare() {
  const version = dependencies['@electric-sql/pglite']
  const stamp = join(assets.pglite, version)
  if (existsSync(stamp)) return
  mkdirSync(dirname(assets.pglite), { recursive: true })
  const temporary = mkdtempSync(`${assets.pglite}.`)
  try {
    const files = join(temporary, 'pglite')
    mkdirSync(files)
    const shipped = dirname(Bun.resolveSync('@electric-sql/pglite', import.meta.dir))
    for (const name of ['pglite.wasm', 'pglite.data']) cpSync(join(shipped, name), join(files, name))
    await Bun.write(join(files, 'template.tar.gz'), await template(join(temporary, 'data')))
    await Bun.write(join(files, version), '')
    rmSync(assets.pglite, { recursive: true, force: true })
    renameSync(files, assets.pglite)
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
}

/** Taken from the directory of a database that was shut down, so that opening it needs no recovery. */
async function template(dataDir: string): Promise<Uint8Array> {
  const database = await PGlite.create(dataDir)
  await database.close()
  const entries: Record<string, Uint8Array | string> = {}
  for (const entry of readdirSync(dataDir, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const name = relative(dataDir, path)
    if (entry.isDirectory()) entries[`${name}/`] = ''
    else entries[name] = readFileSync(path)
  }
  return new Bun.Archive(entries, { compress: 'gzip', level: 9 }).bytes()
}

await prepare()
