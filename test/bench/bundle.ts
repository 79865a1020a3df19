import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const assets = join(import.meta.dir, '../../web/dist/assets')

/** What goes over the wire, by kind. */
export function bundleKb(): Record<string, number> {
  const sizes: Record<string, number> = {}
  for (const name of readdirSync(assets)) {
    const [, kind] = /\.(js|css)\.br$/.exec(name) ?? []
    if (kind) sizes[kind] = (sizes[kind] ?? 0) + statSync(join(assets, name)).size / 1024
  }
  return sizes
}
