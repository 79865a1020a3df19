/** Holds a data directory until it is killed: `bun holder.ts DIRECTORY`. */
import { openEmbedded } from '../../server/embedded/postgres.ts'
import { silentLog } from '../../server/log.ts'

await openEmbedded(process.argv[2]!, silentLog)
console.log('held')
