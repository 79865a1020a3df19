import { closeSync, fdatasyncSync, fsyncSync, openSync } from 'node:fs'
import type { PGlite } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'

interface OpenStream {
  nfd?: number
  node: unknown
}

interface EmscriptenModule {
  NODEFS: {
    stream_ops: { fsync?: (stream: OpenStream) => number }
    realPath(node: unknown): string
    /** turns Node's errors into error numbers, which PostgreSQL understands */
    tryFSOperation<T>(operation: () => T): T
  }
}

/** PGlite's file system has no fsync: without one an acknowledged commit may be lost with the power. */
export function createDurableFs(directory: string, disk: { syncs: number }): NodeFS {
  const files = new NodeFS(directory)
  const init = files.init.bind(files)
  files.init = async (database: PGlite, options) => {
    const { emscriptenOpts } = await init(database, options)
    const addFsync = (module: unknown) => installFsync(module as EmscriptenModule, disk)
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), addFsync] } }
  }
  return files
}

function installFsync({ NODEFS }: EmscriptenModule, disk: { syncs: number }): void {
  NODEFS.stream_ops.fsync = stream => {
    NODEFS.tryFSOperation(() => {
      if (stream.nfd === undefined) syncDirectory(NODEFS.realPath(stream.node))
      else fdatasyncSync(stream.nfd)
    })
    disk.syncs++
    return 0
  }
}

/** Directories are opened without a descriptor there; a rename is durable when its directory is. */
export function syncDirectory(path: string): void {
  const directory = openSync(path, 'r')
  try {
    fsyncSync(directory)
  } finally {
    closeSync(directory)
  }
}
