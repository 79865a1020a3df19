import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { writePrivate } from '../config/private-file.ts'
import { DEFAULT_DATA_DIR } from '../config/read.ts'

const Settings = Type.Object({
  pid: Type.Integer({ minimum: 1 }),
  environment: Type.Record(Type.String(), Type.String()),
})

const path = (dataDir = DEFAULT_DATA_DIR) => join(dataDir, 'demo-settings.json')

/** What the demo that is running on this directory was started with; nothing when none is. */
export function demoSettings(dataDir?: string): Record<string, string> {
  try {
    const settings: unknown = JSON.parse(readFileSync(path(dataDir), 'utf8'))
    return Value.Check(Settings, settings) && isAlive(settings.pid) ? settings.environment : {}
  } catch {
    return {}
  }
}

export function announceDemo(dataDir: string, environment: Record<string, string>): void {
  writePrivate(path(dataDir), JSON.stringify({ pid: process.pid, environment }))
}

export function concludeDemo(dataDir: string): void {
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
