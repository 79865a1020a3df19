import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assets } from '../assets.ts'
import { FileFault } from '../file-fault.ts'
import { networkOf } from '../machine.ts'
import { syncDirectory } from './durable-fs.ts'

const MAJOR = '18'
const CLUSTER = 'pgdata'
const SHARED_BY_USERS = 0o1000
/** What a socket's path may hold on every system, with the end mark. */
const SOCKET_PATH_BYTES = 104

/** The directory is not one that this Faultline may use. */
export class DataDirForeign extends Error {
  constructor(
    readonly said: string,
    readonly fix: string,
  ) {
    super(`${said}: ${fix}`)
  }
}

/** Looks only: a directory of another PostgreSQL is left exactly as it is. */
export function refuseForeign(dataDir: string): void {
  if (existsSync(join(dataDir, 'PG_VERSION'))) {
    throw new DataDirForeign(`${dataDir} belongs to another PostgreSQL`, 'choose another DATA_DIR')
  }
  const cluster = join(dataDir, CLUSTER)
  if (!existsSync(cluster)) return
  const versionFile = join(cluster, 'PG_VERSION')
  const version = existsSync(versionFile) ? readFileSync(versionFile, 'utf8').trim() : 'an unknown version'
  if (version === MAJOR) return
  throw new DataDirForeign(
    `${dataDir} was written by PostgreSQL ${version}, this Faultline embeds ${MAJOR}`,
    'back it up with the version that wrote it, and restore into an empty DATA_DIR',
  )
}

/** Where two machines may hold one directory at once, and what was forced to the disk may not be there. */
export function refuseNetwork(dataDir: string, network = networkOf(dataDir)): void {
  if (!network) return
  throw new DataDirForeign(
    `${dataDir} is on a network file system (${network}), where an embedded database gets lost`,
    'choose a DATA_DIR on a disk of this machine, or a PostgreSQL by DATABASE_URL',
  )
}

/** The one true path of a directory that only its user may enter. */
export function ownDirectory(dataDir: string): string {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const real = realpathSync(dataDir)
  const { mode } = statSync(real)
  if (mode & SHARED_BY_USERS) {
    throw new DataDirForeign(`${real} is shared by all users`, 'choose a directory of its own as DATA_DIR')
  }
  if ((mode & 0o777) !== 0o700) chmodSync(real, 0o700)
  return real
}

/** The cluster's files, laid out from the template on first use. */
export async function ensureCluster(dataDir: string): Promise<string> {
  const cluster = join(dataDir, CLUSTER)
  refuseForeign(dataDir)
  if (existsSync(cluster)) return cluster
  for (const name of readdirSync(dataDir)) {
    if (name.startsWith(`${CLUSTER}.`)) rmSync(join(dataDir, name), { recursive: true })
  }
  // Complete beside, then renamed: a start that is killed half way leaves no half a database.
  const beside = join(dataDir, `${CLUSTER}.${process.pid}`)
  await new Bun.Archive(readFileSync(join(assets.pglite, 'template.tar.gz'))).extract(beside).catch(() => {
    const reason = 'because the files of a new database cannot be written there'
    throw new FileFault(dataDir, reason, 'make room of 50 MB, or name another place')
  })
  chmodSync(beside, 0o700)
  await syncTree(beside)
  renameSync(beside, cluster)
  syncDirectory(dataDir)
  return cluster
}

async function syncTree(folder: string): Promise<void> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const paths = entries.map(entry => join(entry.parentPath, entry.name))
  await Promise.all([folder, ...paths].map(sync))
}

async function sync(path: string): Promise<void> {
  await using file = await open(path, 'r')
  await file.sync()
}

/** In the data directory, or where that is too long a path in one of the user's own under the temporary one. */
export function socketPathFor(dataDir: string): string {
  const beside = join(dataDir, 'postgres.sock')
  if (Buffer.byteLength(beside) < SOCKET_PATH_BYTES) return beside
  const short = join(tmpdir(), `faultline-${process.getuid?.() ?? 0}-${Bun.hash(dataDir).toString(36)}`)
  mkdirSync(short, { recursive: true, mode: 0o700 })
  refuseStrangers(short)
  return join(short, 'postgres.sock')
}

/** In the temporary directory anybody may have laid something under the name that is ours. */
function refuseStrangers(directory: string): void {
  const there = lstatSync(directory)
  const ours = there.isDirectory() && there.uid === (process.getuid?.() ?? there.uid)
  if (!ours || (there.mode & 0o077) !== 0) {
    throw new DataDirForeign(`${directory} is not ours alone`, 'remove it, or choose a shorter DATA_DIR')
  }
}
