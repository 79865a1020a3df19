import { randomBytes } from 'node:crypto'
import { accessSync, constants, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import { generateVAPIDKeys } from 'web-push'
import { generateSessionPassword } from '../config/session-password.ts'
import { PRIVATE, readJson, replaceFile } from '../whole-file.ts'

const Keys = Type.Object({
  sessionPassword: Type.String({ minLength: 32 }),
  clientSecret: Type.String({ minLength: 1 }),
  vapid: Type.Object({ publicKey: Type.String(), privateKey: Type.String() }),
})
export type DemoKeys = Static<typeof Keys>

/** Made once: sessions and subscribed devices outlive a restart of the demo. */
export function demoKeys(dataDir: string): DemoKeys {
  const path = join(dataDir, 'demo-keys.json')
  const existing = readJson(path, Keys)
  if (existing) return existing
  const keys: DemoKeys = {
    sessionPassword: generateSessionPassword(),
    clientSecret: randomBytes(24).toString('base64url'),
    vapid: generateVAPIDKeys(),
  }
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  // What cannot be written there is a fault of the directory, not of a file that nobody has asked for.
  accessSync(dataDir, constants.W_OK | constants.X_OK)
  replaceFile(path, JSON.stringify(keys), { mode: PRIVATE })
  return keys
}
