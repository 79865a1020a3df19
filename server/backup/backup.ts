import { createWriteStream } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { Database } from '../db/database.ts'
import { BrokenBackup, type Header, type Summary } from './format.ts'
import { LONGEST_MS, verifyBackup } from './restore.ts'
import { countRows, type RowPages, rowPages } from './rows.ts'
import { FORMAT, kinds, noRows, total } from './tables.ts'

export interface BackupOptions {
  version: string
  onRows?: (done: number, of: number) => void
  signal?: AbortSignal
}

/**
 * Everything in the database as of now into a private file that appears only when it is whole and was
 * read back. On PostgreSQL within one snapshot; on the embedded database in short statements up to a
 * bound fixed at first, so that nobody has to wait for the backup.
 */
export async function writeBackup(db: Database, path: string, options: BackupOptions): Promise<Summary> {
  const partial = `${path}.${process.pid}.partial`
  try {
    const written = await withPages(db, pages => write(partial, pages, options))
    const found = await verifyBackup(partial, undefined, options.signal)
    if (!Bun.deepEquals(found, written)) throw new BrokenBackup('what was read back is not what was written')
    await rename(partial, path)
    await synced(dirname(path))
    return written
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
}

function withPages<T>(db: Database, use: (pages: RowPages) => Promise<T>): Promise<T> {
  if (db.kind !== 'postgres') return use(rowPages(run => db.read(run)))
  const inSnapshot = { snapshot: true, deadlineMs: LONGEST_MS, once: true }
  return db.transaction(queries => use(rowPages(run => run(queries))), inSnapshot)
}

async function write(path: string, pages: RowPages, options: BackupOptions): Promise<Summary> {
  const hash = new Bun.CryptoHasher('sha256')
  const rows = noRows()
  const header: Header = {
    faultline: 'backup',
    format: FORMAT,
    version: options.version,
    created_at: new Date().toISOString(),
    rows: await countRows(pages.ask),
  }
  const of = total(header.rows)
  let sha256 = ''

  async function* text() {
    yield hashed([header])
    for await (const page of pages.lines()) {
      options.signal?.throwIfAborted()
      for (const { kind } of page) rows[kinds[kind].plural]++
      if (page.length) yield hashed(page.map(({ kind, row }) => ({ [kind]: row })))
      options.onRows?.(total(rows), of)
    }
    sha256 = hash.digest('hex')
    yield `${JSON.stringify({ end: rows, sha256 })}\n`
  }
  function hashed(lines: object[]) {
    const bytes = Buffer.from(lines.map(line => `${JSON.stringify(line)}\n`).join(''))
    hash.update(bytes)
    return bytes
  }

  await pipeline(Readable.from(text()), createGzip(), createWriteStream(path, { flags: 'wx', mode: 0o600 }))
  await synced(path)
  return { header, rows, sha256 }
}

async function synced(path: string) {
  await using file = await open(path, 'r')
  await file.sync()
}
