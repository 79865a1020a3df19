/** Text from people may not steer a terminal: control characters and direction overrides are shown, not sent. */
const controls = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu
const lineBreaks = /[\t\n\v\f\r\u0085\u2028\u2029]+/g

export const oneLine = (text: string) => text.replace(lineBreaks, ' ').replace(controls, '\ufffd')

/** JSON that is the same data with nothing in it that a terminal would obey. */
export const json = (value: unknown, space?: number) =>
  JSON.stringify(value, null, space).replace(controls, c =>
    c === '\n' && space ? c : `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

export const width = (text: string) => Bun.stringWidth(text)
export const padEnd = (text: string, columns: number) => text + ' '.repeat(Math.max(0, columns - width(text)))
export const padStart = (text: string, columns: number) =>
  ' '.repeat(Math.max(0, columns - width(text))) + text
export function clip(text: string, columns: number): string {
  if (width(text) <= columns) return text
  const cut = Bun.sliceAnsi(text, 0, Math.max(1, columns), '…')
  // A wide character on the edge is kept by the cut: one column less takes it away.
  return width(cut) <= columns || columns <= 1 ? cut : Bun.sliceAnsi(text, 0, columns - 1, '…')
}

export interface Paint {
  dim(text: string): string
  bold(text: string): string
  good(text: string): string
  bad(text: string): string
  warm(text: string): string
}

const wrap = (on: boolean, code: number) => (text: string) =>
  on && text ? `\x1b[${code}m${text}\x1b[0m` : text

export const paints = (on: boolean): Paint => ({
  dim: wrap(on, 2),
  bold: wrap(on, 1),
  good: wrap(on, 32),
  bad: wrap(on, 31),
  warm: wrap(on, 33),
})

interface Column {
  align?: 'right'
  /** widest this column may be on a terminal */
  most?: number
  paint?: (text: string) => string
}

/** Rows in columns; the last column is left ragged, and clipped where the terminal ends. */
export function columns(rows: string[][], layout: Column[], screen = Number.POSITIVE_INFINITY): string[] {
  const clean = rows.map(row => row.map(oneLine))
  const widths = layout.map((column, i) =>
    Math.min(
      screen === Number.POSITIVE_INFINITY ? screen : (column.most ?? screen),
      Math.max(0, ...clean.map(row => width(row[i] ?? ''))),
    ),
  )
  return clean.map(row => {
    let used = 0
    const cells = layout.map((column, i) => {
      const last = i === layout.length - 1
      const room = last ? Math.max(8, screen - used) : widths[i]!
      const text = clip(row[i] ?? '', room)
      const padded = column.align === 'right' ? padStart(text, widths[i]!) : last ? text : padEnd(text, room)
      used += (last ? 0 : room) + 2
      return column.paint ? column.paint(padded) : padded
    })
    return cells.join('  ').trimEnd()
  })
}

/** Rows in columns on a terminal, between tabs elsewhere. */
export const table = (rows: string[][], layout: Column[], on: { interactive: boolean; screen: number }) =>
  on.interactive ? columns(rows, layout, on.screen) : rows.map(row => row.map(oneLine).join('\t'))

const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

/** A bar in eighths of a character; anything above zero can be seen. */
export function bar(value: number, most: number, columns: number): string {
  if (value <= 0 || most <= 0) return ''
  const parts = Math.max(1, Math.round((value / most) * columns * 8))
  return '█'.repeat(Math.floor(parts / 8)) + eighths[parts % 8]
}

const HEIGHTS = '▁▂▃▄▅▆▇█'

/** One character a number, the lowest for none. */
export function sparkline(counts: number[]): string {
  const most = Math.max(...counts)
  return counts.map(count => HEIGHTS[Math.ceil((count / most) * (HEIGHTS.length - 1)) || 0]).join('')
}

export function ago(then: Date, now = new Date()): string {
  const seconds = Math.round((now.getTime() - then.getTime()) / 1000)
  if (seconds < 45) return 'just now'
  const minutes = Math.round(seconds / 60)
  if (minutes < 60) return `${minutes} min ago`
  const hours = Math.round(minutes / 60)
  if (hours < 24) return `${hours} h ago`
  const days = Math.round(hours / 24)
  if (days === 1) return 'yesterday'
  return days < 31 ? `${days} days ago` : then.toISOString().slice(0, 10)
}

/** Local time for lines that stay on the screen: the clock today, the day before that. */
export function clock(time: Date, now = new Date()): string {
  const two = (n: number) => String(n).padStart(2, '0')
  const day = (date: Date) => `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  const today = `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`
  return padEnd(day(time) === day(now) ? today : day(time), 10)
}

export const quantity = (n: number, one: string, many = `${one}s`) =>
  `${String(n).replace(/\B(?=(\d{3})+$)/g, ' ')} ${n === 1 ? one : many}`
