import { ConfigFaults } from '../../server/config/faults.ts'
import { judgeConfig } from '../../server/config/partial.ts'
import { type DataConfig, readDataConfig } from '../../server/config/read.ts'
import type { Env } from '../../server/config/settings.ts'
import type { Io } from '../terminal/io.ts'
import { checkBoard } from './board.ts'
import type { Check } from './check.ts'
import { checkDatabase } from './database.ts'
import { checkPushKeys, checkPushServices } from './push.ts'
import { checkSettings } from './settings.ts'
import { checkSignIn } from './sign-in.ts'

/** Every check runs, whatever the ones before it found. */
export async function* examine(io: Io, envFile?: string): AsyncGenerator<Check> {
  const judged = judgeConfig(io.env)
  yield* checkSettings(judged, envFile)
  const data = dataConfig(io.env)
  const devices = yield* checkDatabase(io, data, judged.config)
  yield* checkBoard(data)
  yield await checkSignIn(judged)
  yield checkPushKeys(judged)
  yield* await checkPushServices(judged.config, devices)
}

function dataConfig(env: Env): DataConfig | undefined {
  try {
    return readDataConfig(env)
  } catch (error) {
    if (error instanceof ConfigFaults) return undefined
    throw error
  }
}
