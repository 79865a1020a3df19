import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assets } from '../assets.ts'

const MAJOR = '18'
/** What a socket's path may hold, less the end mark. */
const SOCKET_PATH_BYTES = 107

/** The directory holds another major version of PostgreSQL. */
export class DataDirForeign extends Error {
  constructor(dataDir: string, version: string) {
    super(
      `${dataDir} was written by PostgreSQL ${version}, this Faultline embeds ${MAJOR}: ` +
        'back it up with the version that wrote it, and restore into an empty DATA_DIR',
    )
  }
}

/** The one true path of a directory that only its user may enter. */
export function ownDirectory(dataDir: string): string {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const real = realpathSync(dataDir)
  chmodSync(real, 0o700)
  return real
}

/** The cluster's files, laid out from the template on first use. */
export async function ensureCluster(dataDir: string): Promise<string> {
  const cluster = join(dataDir, 'pgdata')
  if (existsSync(cluster)) {
    refuseForeign(dataDir, cluster)
    return cluster
  }
  for (const name of readdirSync(dataDir)) {
    if (name.startsWith('pgdata.')) rmSync(join(dataDir, name), { recursive: true })
  }
  // Complete beside, then renamed: a start that is killed half way leaves no half a database.
  const beside = join(dataDir, `pgdata.${process.pid}`)
  await new Bun.Archive(readFileSync(join(assets.pglite, 'template.tar.gz'))).extract(beside)
  chmodSync(beside, 0o700)
  syncTree(beside)
  renameSync(beside, cluster)
  sync(dataDir)
  return cluster
}

function refuseForeign(dataDir: string, cluster: string): void {
  const versionFile = join(cluster, 'PG_VERSION')
  const version = existsSync(versionFile) ? readFileSync(versionFile, 'utf8').trim() : 'an unknown version'
  if (version !== MAJOR) throw new DataDirForeign(dataDir, version)
}

function syncTree(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    sync(join(entry.parentPath, entry.name))
  }
  sync(folder)
}

function sync(path: string): void {
  const file = openSync(path, 'r')
  fsyncSync(file)
  closeSync(file)
}

/** In the data directory, or where that is too long a path in one of the user's own under the temporary one. */
export function socketPathFor(dataDir: string): string {
  const beside = join(dataDir, 'postgres.sock')
  if (Buffer.byteLength(beside) <= SOCKET_PATH_BYTES) return beside
  const short = join(tmpdir(), `faultline-${process.getuid?.() ?? 0}-${Bun.hash(dataDir).toString(36)}`)
  return join(ownDirectory(short), 'postgres.sock')
}
