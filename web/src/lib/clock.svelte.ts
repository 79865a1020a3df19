// Made when first needed: each costs milliseconds of the first paint.
const relative = once(() => new Intl.RelativeTimeFormat('en', { numeric: 'auto' }))
const exactly = once(() => new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'medium' }))
const hours = once(() => new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' }))
const calendar = once(
  () => new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long' }),
)
const calendarWithYear = once(
  () => new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric' }),
)

function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

const TICK_MS = 20_000
const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** The time now, told anew every few seconds to whoever shows it. */
class Clock {
  now = $state(Date.now())

  constructor() {
    setInterval(() => this.tick(), TICK_MS)
    document.addEventListener('visibilitychange', () => this.tick())
  }

  tick(): void {
    this.now = Date.now()
  }
}

export const clock = new Clock()

export function ago(iso: string, now: number): string {
  const seconds = Math.min(0, Math.round((Date.parse(iso) - now) / 1000))
  if (seconds > -45) return 'just now'
  if (seconds > -HOUR) return relative().format(Math.min(-1, Math.round(seconds / MINUTE)), 'minute')
  if (seconds > -DAY) return relative().format(Math.round(seconds / HOUR), 'hour')
  if (seconds > -30 * DAY) return relative().format(Math.round(seconds / DAY), 'day')
  return calendarWithYear().format(new Date(iso))
}

export function exact(iso: string): string {
  return exactly().format(new Date(iso))
}

export const timeOfDay = (date: Date) => hours().format(date)

export function day(iso: string, now: number): string {
  const date = new Date(iso)
  const today = new Date(now)
  if (date.toDateString() === today.toDateString()) return 'Today'
  const yesterday = new Date(now)
  yesterday.setDate(yesterday.getDate() - 1)
  if (date.toDateString() === yesterday.toDateString()) return 'Yesterday'
  return (date.getFullYear() === today.getFullYear() ? calendar() : calendarWithYear()).format(date)
}
