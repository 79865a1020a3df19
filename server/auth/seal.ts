import { hkdfSync } from 'node:crypto'
import * as iron from 'iron-webcrypto'
import type { Config } from '../config/read.ts'

type SealPurpose = 'session' | 'sign-in'

interface Key {
  id: string
  encryption: Uint8Array
  integrity: Uint8Array
}

/** Keys are bytes, so the places where iron puts salts for passwords stay empty. */
const FORM =
  /^Fe26\.2\*([\w-]{1,16})\*\*[\w-]{22}\*[\w-]{1,8000}\*[1-9]\d{12,15}\*\*[\w-]{42}[AEIMQUYcgkosw048]$/

/** Seals for one purpose: those made for another one have other keys and do not open. */
export function createSeal(session: Config['session'], purpose: SealPurpose, now: () => number) {
  const key = deriveKey(session.password, purpose)
  const keys = [key, ...(session.previous ? [deriveKey(session.previous, purpose)] : [])]
  const options = (ttl: number): iron.SealOptions => ({
    ...iron.defaults,
    ttl,
    timestampSkewSec: 0,
    localtimeOffsetMsec: now() - Date.now(),
  })

  return {
    /** `expiresAt` (epoch ms) also stands in the seal itself, under its MAC. */
    close: (payload: object, expiresAt: number): Promise<string> =>
      iron.seal(payload, key, options(expiresAt - now())),
    /** The payload, or undefined for whatever was not sealed here for this purpose or has expired. */
    async open(sealed: string): Promise<unknown> {
      const id = FORM.exec(sealed)?.[1]
      const used = keys.find(key => key.id === id)
      if (!used) return undefined
      return await iron.unseal(sealed, { [used.id]: used }, options(0)).catch(() => undefined)
    },
  }
}

function deriveKey(password: string, purpose: SealPurpose): Key {
  const derive = (use: string, bytes: number) =>
    new Uint8Array(hkdfSync('sha256', password, 'faultline', `${purpose}/${use}`, bytes))
  return {
    id: Buffer.from(derive('id', 6)).toString('hex'),
    encryption: derive('encryption', 32),
    integrity: derive('integrity', 32),
  }
}
