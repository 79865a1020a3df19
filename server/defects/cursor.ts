/** Where a page ended: the creation time in milliseconds and the id, opaque to clients. */
export interface Position {
  createdAt: Date
  id: string
  /** the first day that `since` meant on the first page, such as `2026-11-01`: midnight changes nothing on the way */
  from?: string
}

const LATEST_MS = Date.UTC(9999, 0)
const DAY_MS = 86_400_000

export function writeCursor({ createdAt, id, from }: Position): string {
  const day = from === undefined ? '' : `_${(Date.parse(from) / DAY_MS).toString(36)}`
  return `${createdAt.getTime().toString(36)}_${id.replaceAll('-', '')}${day}`
}

export function readCursor(cursor: string): Position | undefined {
  const [, time, hex, day] = /^([0-9a-z]{1,10})_([0-9a-f]{32})(?:_([0-9a-z]{1,5}))?$/.exec(cursor) ?? []
  if (!time || !hex) return undefined
  const ms = Number.parseInt(time, 36)
  const fromMs = day ? Number.parseInt(day, 36) * DAY_MS : 0
  if (ms > LATEST_MS || fromMs > LATEST_MS) return undefined
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  return {
    createdAt: new Date(ms),
    id,
    ...(day ? { from: new Date(fromMs).toISOString().slice(0, 10) } : {}),
  }
}
