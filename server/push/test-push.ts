import type { Database } from '../db/database.ts'
import { deliver, type SenderConfig } from './deliver.ts'
import { devicesInForce, recordOutcome } from './devices.ts'
import { deviceName } from './endpoint.ts'
import { testMessage } from './message.ts'

/** A real push to every device in force, now; the outcomes are kept. */
export async function testPush({ config, db }: { config: SenderConfig; db: Database }) {
  const devices = await devicesInForce(db, config)
  return Promise.all(
    devices.map(async device => {
      const outcome = await deliver(config, device, testMessage())
      await recordOutcome(db, device.endpoint, outcome)
      return { device: deviceName(device.endpoint), outcome: outcome.kind, said: outcome.said }
    }),
  )
}
