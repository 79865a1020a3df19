import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import { PRIVATE, readJson, replaceFile } from '../whole-file.ts'
import { settings } from './settings.ts'

const Published = Type.Object({
  pid: Type.Integer({ minimum: 1 }),
  environment: Type.Record(Type.String(), Type.String()),
})

const path = (dataDir: string = settings.DATA_DIR.default) => join(dataDir, 'demo-settings.json')

/** What the demo that is running on this directory was started with; nothing when none is. */
export function publishedSettings(dataDir?: string): Record<string, string> {
  const published = readJson(path(dataDir), Published)
  return published && isAlive(published.pid) ? published.environment : {}
}

/** Lends a demo's settings to commands on the same directory. */
export function publishSettings(dataDir: string, environment: Record<string, string>): void {
  replaceFile(path(dataDir), JSON.stringify({ pid: process.pid, environment }), { mode: PRIVATE })
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
