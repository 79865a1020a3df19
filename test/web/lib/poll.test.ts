import '../page.ts'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { poll } from '../../../web/src/lib/poll.ts'
import { newPage, show } from '../page.ts'

const timers = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout }
const page = document as unknown as { visibilityState: string }
/** What waits, at most one. */
let waiting: { run: () => void; seconds: number } | undefined
let calls: number
let changed: boolean
let stop: () => void

const pause = () => waiting?.seconds
async function elapse() {
  const due = waiting
  waiting = undefined
  due?.run()
  await settled()
}
const settled = () => new Promise(resolve => setImmediate(resolve))

beforeEach(() => {
  newPage()
  page.visibilityState = 'visible'
  waiting = undefined
  calls = 0
  changed = true
  Object.assign(globalThis, {
    setTimeout(run: () => void, ms: number) {
      waiting = { run, seconds: ms / 1000 }
      return 1
    },
    clearTimeout() {
      waiting = undefined
    },
  })
  stop = poll(async () => {
    calls++
    return changed
  })
})
afterEach(() => {
  stop()
  Object.assign(globalThis, timers)
  page.visibilityState = 'visible'
})

test('while nothing changes it asks ever less often, at most once a minute; after a change as often as before', async () => {
  expect(pause()).toBe(6)
  await elapse()
  expect(pause()).toBe(6)
  changed = false
  const pauses: (number | undefined)[] = []
  for (let n = 0; n < 8; n++) {
    await elapse()
    pauses.push(pause())
  }
  expect(pauses).toEqual([9, 13.5, 20.25, 30.375, 45.5625, 60, 60, 60])
  changed = true
  await elapse()
  expect([calls, pause()]).toEqual([10, 6])
})

test('nobody asks in a hidden tab', async () => {
  page.visibilityState = 'hidden'
  await elapse()
  expect([calls, waiting]).toEqual([1, undefined])
  show()
  await settled()
  expect([calls, waiting]).toEqual([1, undefined])
})

const comingBack: [string, () => void][] = [
  ['becomes visible', show],
  ['gets the focus', () => dispatchEvent(new Event('focus'))],
  ['is connected again', () => dispatchEvent(new Event('online'))],
]
test.each(comingBack)('a tab that %s asks at once, and often from then on', async (_, comeBack) => {
  changed = false
  for (let n = 0; n < 5; n++) await elapse()
  comeBack()
  await settled()
  expect([calls, pause()]).toEqual([6, 9])
})

test('who comes back while it asks does not make it ask twice', async () => {
  show()
  dispatchEvent(new Event('focus'))
  await settled()
  expect([calls, pause()]).toEqual([1, 6])
})

test('once stopped nothing wakes it', async () => {
  stop()
  expect(waiting).toBeUndefined()
  show()
  dispatchEvent(new Event('focus'))
  await settled()
  expect(calls).toBe(0)
})
