import type { PGlite } from '@electric-sql/pglite'

/** PostgreSQL's own way out of a failed statement; any other exception is the end of it. */
const LONGJMP = 100

interface MainLoop {
  _PostgresMainLoopOnce(): void
  _PostgresMainLongJmp(): void
}

/** PGlite's PostgreSQL by its wire protocol. */
export interface Backend {
  /** Runs whole messages and returns what PostgreSQL replies. Throws when PostgreSQL has crashed. */
  run(messages: Uint8Array[]): Promise<Buffer>
  inTransaction(): boolean
}

export function createBackend(database: PGlite): Backend {
  const crash = watchMainLoop(database.Module as unknown as MainLoop)
  return {
    async run(messages) {
      const reply: Buffer[] = []
      // The raw stream keeps nothing; PGlite's other ways hold every message of every result for ever.
      const stream = {
        syncToFs: false,
        onRawData: (bytes: Uint8Array) => void reply.push(Buffer.from(bytes)),
      }
      for (const message of messages) {
        if (crash.error) throw crash.error
        await database.execProtocolRawStream(message, stream).catch(error => {
          crash.error ??= error
        })
      }
      if (crash.error) throw crash.error
      return reply.length === 1 ? reply[0]! : Buffer.concat(reply)
    },
    inTransaction: () => database.isInTransaction(),
  }
}

/** PGlite swallows a panic, and would call into the dead program again and again. */
function watchMainLoop(module: MainLoop): { error?: unknown } {
  const crash: { error?: unknown } = {}
  const once = module._PostgresMainLoopOnce
  const longJmp = module._PostgresMainLongJmp
  module._PostgresMainLoopOnce = () => {
    try {
      once()
    } catch (error) {
      if ((error as { status?: number }).status !== LONGJMP) crash.error = error
      // With this status PGlite calls the function below, and from there an exception gets out.
      throw { status: LONGJMP }
    }
  }
  module._PostgresMainLongJmp = () => {
    if (crash.error) throw crash.error
    longJmp()
  }
  return crash
}
