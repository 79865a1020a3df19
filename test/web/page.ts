/** As much of a page around state classes as they touch: a browser's memory, its events, its address. */
class Memory {
  private readonly values = new Map<string, string>()
  full = false

  getItem(name: string): string | null {
    return this.values.get(name) ?? null
  }
  setItem(name: string, value: string): void {
    if (this.full) throw new Error('the memory is full')
    this.values.set(name, value)
  }
  removeItem(name: string): void {
    this.values.delete(name)
  }
  clear(): void {
    this.values.clear()
    this.full = false
  }
}

export const memory = new Memory()
const page = Object.assign(new EventTarget(), { visibilityState: 'visible', title: '' })
const events = new EventTarget()

Object.assign(globalThis, {
  window: globalThis,
  localStorage: memory,
  document: page,
  location: new URL('http://faultline.test/'),
  addEventListener: events.addEventListener.bind(events),
  removeEventListener: events.removeEventListener.bind(events),
  dispatchEvent: events.dispatchEvent.bind(events),
})

/** As another tab's writing reaches this one. */
export function writtenElsewhere(name: string, value: string | null): void {
  if (value === null) memory.removeItem(name)
  else memory.setItem(name, value)
  dispatchEvent(Object.assign(new Event('storage'), { key: name, newValue: value }))
}
