import type { Subscription } from './model.ts'

export interface Push {
  /** in the order of filing */
  number: number
  message: string
  tries: number
  firstTriedAt?: number
}

/** What waits for one device, and whether its push service is to be left alone for a while. */
export interface Lane {
  device: Subscription
  waiting: Push[]
  underWay: number
  /** how many may be under way: grows with every success, starts anew at one with a failure */
  allowance: number
  heldUntil: number
}

const FIRST_ALLOWANCE = 2

/** One lane a device, served in turn: a slow or failing push service holds up nobody else. */
export function createLanes() {
  const lanes = new Map<string, Lane>()
  let waiting = 0

  const all = () => [...lanes.values()]
  const queued = () => all().filter(lane => lane.waiting.length > 0)
  /** Nobody gets all places while others are there, and a stranger may turn out to be silent. */
  const isFree = (lane: Lane, now: number, places: number) =>
    lane.waiting.length > 0 &&
    lane.heldUntil <= now &&
    lane.underWay < Math.min(lane.allowance, Math.max(1, Math.floor(places / lanes.size)))

  function end(lane: Lane): void {
    if (lanes.get(lane.device.endpoint) !== lane) return
    lanes.delete(lane.device.endpoint)
    waiting -= lane.waiting.length
  }

  return {
    waiting: () => waiting,
    end,
    /** The devices as they are now: new keys are used, lanes of devices that left end. */
    match(devices: Subscription[]): void {
      const current = new Map(devices.map(device => [device.endpoint, device]))
      for (const lane of all()) {
        const device = current.get(lane.device.endpoint)
        if (device) lane.device = device
        else end(lane)
      }
    },
    add(device: Subscription, push: Push): void {
      const lane = lanes.get(device.endpoint) ?? {
        device,
        waiting: [],
        underWay: 0,
        allowance: FIRST_ALLOWANCE,
        heldUntil: 0,
      }
      lanes.set(device.endpoint, lane)
      lane.waiting.push(push)
      waiting++
    },
    /** Back to the head of its lane, for another try. */
    again(lane: Lane, push: Push): void {
      if (lanes.get(lane.device.endpoint) !== lane) return
      lane.waiting.unshift(push)
      waiting++
    },
    next(now: number, places: number): { lane: Lane; push: Push } | undefined {
      const lane = all().find(lane => isFree(lane, now, places))
      const push = lane?.waiting.shift()
      if (!lane || !push) return undefined
      waiting--
      lanes.delete(lane.device.endpoint)
      lanes.set(lane.device.endpoint, lane)
      return { lane, push }
    },
    /** When the next held lane with something in it may be served. */
    wakesAt(now: number): number {
      return Math.min(
        ...queued()
          .map(lane => lane.heldUntil)
          .filter(time => time > now),
      )
    },
    oldest(): number | undefined {
      const numbers = queued().map(lane => lane.waiting[0]!.number)
      return numbers.length ? Math.min(...numbers) : undefined
    },
    dropOldest(): void {
      const [lane] = queued().sort((a, b) => a.waiting[0]!.number - b.waiting[0]!.number)
      if (lane?.waiting.shift()) waiting--
    },
  }
}
