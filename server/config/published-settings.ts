import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { writePrivate } from './private-file.ts'
import { settings } from './settings.ts'

const Published = Type.Object({
  pid: Type.Integer({ minimum: 1 }),
  environment: Type.Record(Type.String(), Type.String()),
})

const path = (dataDir: string = settings.DATA_DIR.default) => join(dataDir, 'demo-settings.json')

/** What the demo that is running on this directory was started with; nothing when none is. */
export function publishedSettings(dataDir?: string): Record<string, string> {
  try {
    const published: unknown = JSON.parse(readFileSync(path(dataDir), 'utf8'))
    return Value.Check(Published, published) && isAlive(published.pid) ? published.environment : {}
  } catch {
    return {}
  }
}

/** Lends a demo's settings to commands on the same directory. */
export function publishSettings(dataDir: string, environment: Record<string, string>): void {
  writePrivate(path(dataDir), JSON.stringify({ pid: process.pid, environment }))
}

export function withdrawSettings(dataDir: string): void {
  rmSync(path(dataDir), { force: true })
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as { code?: string }).code === 'EPERM'
  }
}
