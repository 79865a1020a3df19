import {
  createDecipheriv,
  createECDH,
  type ECDH,
  generateKeyPairSync,
  hkdfSync,
  randomBytes,
  type webcrypto,
} from 'node:crypto'
import { importJWK, jwtVerify } from 'jose'
import type { Message } from '../../server/push/message.ts'
import { until } from './until.ts'

/** A subscription as a browser hands it out; what is sent to it can be read with `received`. */
export interface TestDevice {
  json: { endpoint: string; expirationTime: null; keys: { p256dh: string; auth: string } }
  path: string
}

export interface Received {
  device: TestDevice
  message: Message
  bytes: number
  headers: Record<string, string>
  /** the verified VAPID token's claims, and the key it was verified with */
  vapid: { aud: unknown; exp: number; sub: unknown; key: string }
}

export type Answer = (push: Received, earlierOfDevice: number) => Response | Promise<Response>

export interface PushService {
  origin: string
  /** for PUSH_HOSTS */
  host: string
  device(): TestDevice
  /** every request that came, verified and decrypted, in order */
  received: Received[]
  /** requests that no push service would take: bad signature, bad encryption, unknown device */
  faults: string[]
  /** how it answers from now on */
  answer: Answer
  /** most requests that were open at the same time */
  mostAtOnce: number
  openNow: number
  arrived(count: number, ms?: number): Promise<Received[]>
  stop(): Promise<void>
}

interface Keys {
  device: TestDevice
  curve: ECDH
  auth: Buffer
}

export function pushService(): PushService {
  const devices = new Map<string, Keys>()

  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 60,
    async fetch(request) {
      service.openNow++
      service.mostAtOnce = Math.max(service.mostAtOnce, service.openNow)
      try {
        return await take(request)
      } finally {
        service.openNow--
      }
    },
  })

  async function take(request: Request): Promise<Response> {
    const keys = devices.get(new URL(request.url).pathname)
    try {
      if (request.method !== 'POST' || !keys) throw new Error(`${request.method} to an unknown device`)
      const body = Buffer.from(await request.arrayBuffer())
      const vapid = await verifyVapid(request.headers.get('authorization') ?? '', service.origin)
      const push: Received = {
        device: keys.device,
        message: JSON.parse(decrypt(body, keys)),
        bytes: body.length,
        headers: Object.fromEntries(request.headers),
        vapid,
      }
      const earlier = service.received.filter(({ device }) => device === push.device).length
      service.received.push(push)
      return await service.answer(push, earlier)
    } catch (error) {
      service.faults.push((error as Error).message)
      return new Response(null, { status: 400 })
    }
  }

  const service: PushService = {
    origin: server.url.origin,
    host: server.url.host,
    received: [],
    faults: [],
    mostAtOnce: 0,
    openNow: 0,
    answer: () => new Response(null, { status: 201 }),
    device() {
      const keys = newDevice(server.url.origin)
      devices.set(keys.device.path, keys)
      return keys.device
    },
    async arrived(count, ms = 10_000) {
      const came = () => `${service.received.length} of ${count} pushes came`
      await until(() => service.received.length >= count, came, ms)
      return service.received
    },
    stop: () => server.stop(true),
  }
  return service
}

export function newDevice(origin: string): Keys {
  const curve = createECDH('prime256v1')
  const p256dh = curve.generateKeys()
  const auth = randomBytes(16)
  const path = `/push/${randomBytes(24).toString('base64url')}`
  const keys = { p256dh: p256dh.toString('base64url'), auth: auth.toString('base64url') }
  return { curve, auth, device: { path, json: { endpoint: origin + path, expirationTime: null, keys } } }
}

export function vapidPair() {
  const { x, y, d } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
    format: 'jwk',
  }) as webcrypto.JsonWebKey
  const point = Buffer.concat([Buffer.of(4), Buffer.from(x!, 'base64url'), Buffer.from(y!, 'base64url')])
  return { publicKey: point.toString('base64url'), privateKey: d! }
}

/** RFC 8292: an ES256 token for this origin, at most a day long, with a contact. */
async function verifyVapid(authorization: string, origin: string): Promise<Received['vapid']> {
  const [, token = '', key = ''] = /^vapid t=([\w.-]+), k=([\w-]{87})$/.exec(authorization) ?? []
  const point = Buffer.from(key, 'base64url')
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
  }
  const { payload } = await jwtVerify(token, await importJWK(jwk, 'ES256'), {
    audience: origin,
    algorithms: ['ES256'],
  })
  const exp = payload.exp ?? Number.POSITIVE_INFINITY
  if (exp > Date.now() / 1000 + 86_400) throw new Error('the VAPID token lives longer than a day')
  return { aud: payload.aud, exp, sub: payload.sub, key }
}

/** RFC 8291 over RFC 8188, one record. */
function decrypt(body: Buffer, { curve, auth }: Keys): string {
  const salt = body.subarray(0, 16)
  const recordSize = body.readUInt32BE(16)
  const serverKey = body.subarray(21, 21 + body[20]!)
  const record = body.subarray(21 + body[20]!)
  if (body.length > 4_096 || record.length > recordSize) throw new Error('the message is too large')
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), curve.getPublicKey(), serverKey])
  const secret = derive(curve.computeSecret(serverKey), auth, info, 32)
  const key = derive(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16)
  const nonce = derive(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12)
  const decipher = createDecipheriv('aes-128-gcm', key, nonce)
  decipher.setAuthTag(record.subarray(-16))
  const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()])
  const end = padded.lastIndexOf(2)
  if (end < 0 || padded.subarray(end + 1).some(byte => byte !== 0)) throw new Error('no last record')
  return new TextDecoder('utf-8', { fatal: true }).decode(padded.subarray(0, end))
}

const derive = (key: Buffer, salt: Buffer, info: Buffer, length: number) =>
  Buffer.from(hkdfSync('sha256', key, salt, info, length))
