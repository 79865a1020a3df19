import type { DataConfig } from '../../server/config/read.ts'
import { shortages } from '../../server/machine.ts'
import { type Check, fault, ok, warning } from './check.ts'

/** Open files, and what the embedded database needs of the disk. */
export function checkMachine(data: DataConfig | undefined): Check[] {
  const dataDir = data?.databaseUrl ? undefined : data?.dataDir
  const found = shortages(dataDir)
  if (found.length === 0) return [ok('machine', `${dataDir ? 'room and ' : ''}open files are enough`)]
  return found.map(({ said, mend, grave }) => (grave ? fault : warning)('machine', said, mend))
}
