import { ConfigFaults, readOrFaults } from '../../server/config/faults.ts'
import { judgeConfig } from '../../server/config/partial.ts'
import { readDataConfig } from '../../server/config/read.ts'
import type { Io } from '../terminal/io.ts'
import { checkBoard } from './board.ts'
import type { Check } from './check.ts'
import { checkClock } from './clock.ts'
import { checkDatabase } from './database.ts'
import { checkMachine } from './machine.ts'
import { checkProxy } from './proxy.ts'
import { checkPushKeys, checkPushServices } from './push.ts'
import { checkSettings } from './settings.ts'
import { checkSignIn } from './sign-in.ts'

export interface ExamineOptions {
  envFile?: string
  /** the address of what stands in front of the running server */
  probe?: string
}

/** Every check runs, whatever the ones before it found. */
export async function* examine(io: Io, { envFile, probe }: ExamineOptions): AsyncGenerator<Check> {
  const judged = judgeConfig(io.env)
  yield* checkSettings(judged, envFile)
  const read = readOrFaults(() => readDataConfig(io.env))
  const data = read instanceof ConfigFaults ? undefined : read
  yield* checkMachine(data)
  const devices = yield* checkDatabase(io, data, judged.config)
  yield* checkBoard(data)
  // Both may wait for a provider that does not answer, and a service may wait for this.
  yield* await Promise.all([checkSignIn(judged), checkClock(judged)])
  yield checkPushKeys(judged)
  yield* await checkPushServices(judged.config, devices)
  if (probe) yield* checkProxy(probe, judged)
}
