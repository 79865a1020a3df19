/** Where a page ended: the creation time in milliseconds and the id, opaque to clients. */
export interface Position {
  createdAt: Date
  id: string
}

const LATEST_MS = Date.UTC(9999, 0)

export function writeCursor({ createdAt, id }: Position): string {
  return `${createdAt.getTime().toString(36)}_${id.replaceAll('-', '')}`
}

export function readCursor(cursor: string): Position | undefined {
  const [, time, hex] = /^([0-9a-z]{1,10})_([0-9a-f]{32})$/.exec(cursor) ?? []
  if (!time || !hex) return undefined
  const ms = Number.parseInt(time, 36)
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  return ms <= LATEST_MS ? { createdAt: new Date(ms), id } : undefined
}
