import { existsSync, readFileSync, statfsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** What this machine has little of, and what to do about it. */
export interface Shortage {
  said: string
  mend: string
  /** it stops the server, or will soon */
  grave?: boolean
}

/** By the numbers that Linux gives file systems. Locks and forced writes are not to be trusted on these. */
const OF_NETWORKS = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
  [0x5346414f, 'AFS'],
  [0x6b414653, 'AFS'],
  [0x73757245, 'Coda'],
  [0x00c36400, 'Ceph'],
  [0x0bd00bd0, 'Lustre'],
  [0x786f4256, 'VirtualBox shared folders'],
])
/** Of the network, of a virtual machine's host or of a sandbox: they do not say. */
const OF_ANYWHERE = new Map([
  [0x65735546, 'FUSE'],
  [0x01021997, '9P'],
])
const IN_MEMORY = [0x01021994, 0x858458f6]

const MB = 1_000_000
/** A new embedded database takes half of it. */
const LEAST_ROOM = 100 * MB
const FAIR_ROOM = 1_000 * MB
const FEW_FILES = 1_024

type Statfs = (path: string) => { type: number; bavail: number; bsize: number }

/** The network file system that holds the directory, or would; undefined when it is none. */
export function networkOf(directory: string, statfs: Statfs = statfsSync): string | undefined {
  return OF_NETWORKS.get(typeOf(statfs(nearestThere(directory))))
}

/** Of files and connections, and, with an embedded database, of what holds it. */
export function shortages(dataDir: string | undefined, statfs: Statfs = statfsSync): Shortage[] {
  const files = mostOpenFiles()
  const few = {
    said: `at most ${files} files and connections may be open at once`,
    mend: 'raise it: `LimitNOFILE=65536` in the unit, `ulimit -n` in a shell',
  }
  return [...(files < FEW_FILES ? [few] : []), ...(dataDir === undefined ? [] : ofDisk(dataDir, statfs))]
}

function ofDisk(dataDir: string, statfs: Statfs): Shortage[] {
  const disk = statfs(nearestThere(dataDir))
  const type = typeOf(disk)
  const room = disk.bavail * disk.bsize
  const found: Shortage[] = []
  if (IN_MEMORY.includes(type)) {
    const mend = 'choose a DATA_DIR on a disk'
    found.push({ said: `${dataDir} is in memory: a restart of the machine empties it`, mend })
  }
  const system = OF_ANYWHERE.get(type)
  if (system) {
    const mend = 'see that it keeps locks and forced writes as a disk does, or choose a DATA_DIR on a disk'
    found.push({ said: `${dataDir} is on a file system by ${system}, which may be one of the network`, mend })
  }
  if (room < FAIR_ROOM) {
    const said = `${Math.floor(room / MB)} MB are left for ${dataDir}`
    found.push({ said, mend: 'make room there, or choose another DATA_DIR', grave: room < LEAST_ROOM })
  }
  return found
}

/** Some kernels and runtimes give it with a sign. */
const typeOf = ({ type }: { type: number }) => type >>> 0

function nearestThere(path: string): string {
  const whole = resolve(path)
  return existsSync(whole) ? whole : nearestThere(dirname(whole))
}

/** The runtime has raised it as far as it may. */
function mostOpenFiles(): number {
  try {
    const [, most] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return most ? Number(most) : Number.POSITIVE_INFINITY
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
