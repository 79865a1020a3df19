import { readPushConfig } from '../../server/config/read.ts'
import { type DeviceStatus, deviceStatus } from '../../server/push/devices.ts'
import { testPush } from '../../server/push/test-push.ts'
import type { Command } from '../command.ts'
import { open } from '../terminal/database.ts'
import { exit, Failure } from '../terminal/faults.ts'
import type { Io } from '../terminal/io.ts'
import { ago, json, table } from '../terminal/print.ts'

const NO_DEVICE =
  'no device of the owner is subscribed: sign in as OWNER_EMAIL in a browser and switch notifications on'

export function push(program: Command) {
  const push = program.command('push').description("the owner's devices: `push test`, `push status`")

  push
    .command('test')
    .description("send a real push to each of the owner's devices")
    .option('--json', 'an array of {"device","outcome","said"}')
    .examples('faultline push test --env-file .env')
    .runs(async io => {
      const config = readPushConfig(io.env)
      const sent = await testPush({ config, db: await open(io, config) })
      show(io, sent, ({ device, outcome, said }) => [device, outcome, said])
      return sent.every(({ outcome }) => outcome === 'delivered') ? exit.ok : exit.pushRefused
    })

  push
    .command('status')
    .description("the owner's devices, and what became of the last push to each")
    .option('--json', 'an array of {"device","subscribed_at","in_force","last_outcome","last_outcome_at"}')
    .examples('faultline push status')
    .runs(async io => {
      const config = readPushConfig(io.env)
      const devices = await deviceStatus(await open(io, config), config)
      show(io, devices.map(wire), described)
    })
}

function show<Device>(io: Io, devices: Device[], row: (device: Device) => string[]): void {
  const layout = [{ paint: io.paint.bold }, {}, {}]
  io.print(...(io.json ? [json(devices)] : table(devices.map(row), layout, io)))
  if (!devices.length) throw new Failure(NO_DEVICE, exit.noDevice)
}

const wire = (device: DeviceStatus) => ({
  device: device.device,
  subscribed_at: device.subscribedAt.toISOString(),
  in_force: device.inForce,
  last_outcome: device.lastOutcome,
  last_outcome_at: device.lastOutcomeAt?.toISOString() ?? null,
})

function described(device: ReturnType<typeof wire>): string[] {
  const when = device.last_outcome_at ? `, ${ago(new Date(device.last_outcome_at))}` : ''
  const last = device.last_outcome ? device.last_outcome + when : 'nothing sent yet'
  return [
    device.device,
    `since ${device.subscribed_at.slice(0, 10)}`,
    device.in_force ? last : 'out of force: made for another owner or key pair; it re-subscribes when opened',
  ]
}
