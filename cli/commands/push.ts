import type { Command } from 'commander'
import { readPushConfig } from '../../server/config/read.ts'
import { type DeviceStatus, deviceStatus } from '../../server/push/devices.ts'
import { testPush } from '../../server/push/test-push.ts'
import { examples } from '../program.ts'
import { run } from '../run.ts'
import { open } from '../terminal/database.ts'
import { exit, Failure } from '../terminal/faults.ts'
import type { Io } from '../terminal/io.ts'
import { ago, columns, json, oneLine } from '../terminal/print.ts'

const NO_DEVICE =
  'no device of the owner is subscribed: sign in as OWNER_EMAIL in a browser and switch notifications on'

export function push(program: Command) {
  const push = program.command('push').description("the owner's devices: `push test`, `push status`")
  addTest(push)
  addStatus(push)
}

function addTest(push: Command) {
  push
    .command('test')
    .description("send a real push to each of the owner's devices")
    .option('--json', 'an array of {"device","outcome","said"}')
    .addHelpText('after', examples('faultline push test --env-file .env'))
    .action((_options, command: Command) =>
      run(command, async io => {
        const config = readPushConfig(io.env)
        const pushed = await testPush({ config, db: await open(io, config) })
        const sent = pushed.map(({ device, outcome: { kind, said } }) => ({ device, outcome: kind, said }))
        if (io.json) io.print(json(sent))
        else
          for (const line of table(
            sent.map(({ device, outcome, said }) => [device, outcome, said]),
            io,
          ))
            io.print(line)
        if (!sent.length) throw new Failure(NO_DEVICE, exit.noDevice)
        return sent.every(({ outcome }) => outcome === 'delivered') ? exit.ok : exit.pushRefused
      }),
    )
}

function addStatus(push: Command) {
  push
    .command('status')
    .description("the owner's devices, and what became of the last push to each")
    .option('--json', 'an array of {"device","subscribed_at","in_force","last_outcome","last_outcome_at"}')
    .addHelpText('after', examples('faultline push status'))
    .action((_options, command: Command) =>
      run(command, async io => {
        const config = readPushConfig(io.env)
        const devices = await deviceStatus(await open(io, config), config)
        if (io.json) io.print(json(devices.map(wire)))
        else for (const line of table(devices.map(described), io)) io.print(line)
        if (!devices.length) throw new Failure(NO_DEVICE, exit.noDevice)
      }),
    )
}

const wire = (device: DeviceStatus) => ({
  device: device.device,
  subscribed_at: device.subscribedAt.toISOString(),
  in_force: device.inForce,
  last_outcome: device.lastOutcome,
  last_outcome_at: device.lastOutcomeAt?.toISOString() ?? null,
})

function described({ device, subscribedAt, inForce, lastOutcome, lastOutcomeAt }: DeviceStatus): string[] {
  const last = lastOutcome
    ? `${lastOutcome}${lastOutcomeAt ? `, ${ago(lastOutcomeAt)}` : ''}`
    : 'nothing sent yet'
  return [
    device,
    `since ${subscribedAt.toISOString().slice(0, 10)}`,
    inForce ? last : 'out of force: made for another owner or key pair; it re-subscribes when opened',
  ]
}

const table = (rows: string[][], { interactive, screen, paint }: Io) =>
  interactive
    ? columns(rows, [{ paint: paint.bold }, {}, {}], screen)
    : rows.map(row => row.map(oneLine).join('\t'))
