import { expect, test } from 'bun:test'
import { createECDH, randomBytes } from 'node:crypto'
import { Refusal } from '../../server/errors.ts'
import { isPushService } from '../../server/push/endpoint.ts'
import { readSubscription } from '../../server/push/model.ts'

const curve = createECDH('prime256v1')
const point = curve.generateKeys()
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')
const keys = { p256dh: text(point), auth: text(randomBytes(16)) }

function faultsOf(endpoint: string, changed: Partial<typeof keys> = {}, hosts: string[] = []): string[] {
  try {
    readSubscription({ endpoint, keys: { ...keys, ...changed } }, hosts)
    return []
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    expect(error.code).toBe('invalid_body')
    return error.faults.map(({ field, message }) => `${field} ${message}`)
  }
}

test.each([
  'https://fcm.googleapis.com/fcm/send/abc:APA91b-x_y',
  'https://updates.push.services.mozilla.com/wpush/v2/gAAAA',
  'https://web.push.apple.com/QGuQyavXutnMH9a',
  'https://api.push.apple.com/3/device/x',
  'https://db5p.notify.windows.com/w/?token=BQYAAAB%2f',
  'https://wns2-par02p.notify.windows.com/w/?token=x',
])('the browsers’ own push services are known: %s', endpoint => {
  expect(readSubscription({ endpoint, keys }, [])).toEqual({ endpoint, ...keys })
})

test.each([
  'http://fcm.googleapis.com/x',
  'HTTP://fcm.googleapis.com/x',
  'ftp://fcm.googleapis.com/x',
  'file:///etc/passwd',
  'data:text/plain,x',
  'javascript:alert(1)',
  'https://10.0.0.1/x',
  'https://172.16.0.1/x',
  'https://192.168.1.1/x',
  'https://100.64.0.1/x',
  'https://169.254.169.254/latest/meta-data',
  'https://2852039166/x',
  'https://0x7f.1/x',
  'https://127.0.0.1/x',
  'https://localhost/x',
  'https://[fd00::1]/x',
  'https://[fe80::1]/x',
  'https://[::1]/x',
  'https://metadata.google.internal/x',
  'https://fcm.googleapis.com.evil.test/x',
  'https://evil.test/fcm.googleapis.com',
  'https://evil.test/?fcm.googleapis.com',
  'https://evil.test/#fcm.googleapis.com',
  'https://evil.test?.push.apple.com/',
  'https://evil.test#.push.apple.com/',
  'https://evilfcm.googleapis.com/x',
  'https://evil-push.apple.com/x',
  'https://push.apple.com/x',
  'https://notify.windows.com.evil.test/x',
  'https://fcm.googleapis.com@evil.test/',
  'https://a:b@fcm.googleapis.com/x',
  'https://@fcm.googleapis.com/x',
  'https://evil.test;.push.apple.com/x',
  'https://evil.test\\.push.apple.com/x',
  'https://evil.test%2f.push.apple.com/x',
  'https://fcm%2egoogleapis.com/x',
  'https://fcm.googleapis.com./x',
  'https://FCM.googleapis.com/x',
  'https://ｆcm.googleapis.com/x',
  'https://fcm.googleapis.com:8443/x',
  'https://fcm.googleapis.com:0/x',
  'https://fcm.googleapis.com:80/x',
  'https://fcm.googleapis.com:99999/x',
  'https://fcm.googleapis.com:443443/x',
  'https://fcm.googleapis.com',
  'https://fcm.googleapis.com?x',
  'https:/fcm.googleapis.com/x',
  'https:\\\\fcm.googleapis.com\\x',
  '//fcm.googleapis.com/x',
  ' https://fcm.googleapis.com/x',
  'https://fcm.googleapis.com/x\n',
  'https://fcm.googleapis.com/\0',
  'https://fcm.googleapis.com/ü',
  'https://fcm.googleapis.com/x#fragment',
  'fcm.googleapis.com/x',
  '',
])('an endpoint elsewhere is refused: %j', endpoint => {
  expect(faultsOf(endpoint)).toEqual([
    expect.stringMatching(/^endpoint must |^endpoint is not at a push service/),
  ])
})

test('every fault says what to mend, and none repeats what was sent', () => {
  expect(faultsOf('http://fcm.googleapis.com/x')).toEqual(['endpoint must begin with https://'])
  expect(faultsOf('https://fcm.googleapis.com:8443/x')).toEqual(['endpoint must use the default port'])
  expect(faultsOf('https://evil.test/x')).toEqual([
    'endpoint is not at a push service known here; the operator can add one in PUSH_HOSTS',
  ])
  expect(faultsOf('https://u@fcm.googleapis.com/x')).toEqual([
    'endpoint must not hold a user name or password',
  ])
  expect(faultsOf('https://evil.test/x', { p256dh: 'x', auth: '' })).toHaveLength(3)
})

test('an endpoint has at most 2 048 characters, also after it was written anew', () => {
  const base = 'https://fcm.googleapis.com/'
  expect(faultsOf(base + 'x'.repeat(2_048 - base.length))).toEqual([])
  expect(faultsOf(base + 'x'.repeat(2_049 - base.length))).toEqual([
    'endpoint must be at most 2048 characters',
  ])
  expect(faultsOf(base + '"'.repeat(1_000))).toEqual(['endpoint must be at most 2048 characters'])
})

test('the endpoint is kept as it will be dialled', () => {
  const read = (endpoint: string) => readSubscription({ endpoint, keys }, []).endpoint
  expect(read('https://fcm.googleapis.com:443/a/../b')).toBe('https://fcm.googleapis.com/b')
})

test('PUSH_HOSTS adds origins, and an exact loopback one may do without https and the default port', () => {
  const hosts = ['push.example.com', 'other.example.com:8443', '127.0.0.1:9090', '[::1]:9091', 'localhost:80']
  const allowed = (endpoint: string) => faultsOf(endpoint, {}, hosts).length === 0
  for (const endpoint of [
    'https://push.example.com/x',
    'https://other.example.com:8443/x',
    'http://127.0.0.1:9090/x',
    'https://127.0.0.1:9090/x',
    'http://[::1]:9091/x',
    'http://localhost/x',
    'https://fcm.googleapis.com/x',
  ]) {
    expect([endpoint, allowed(endpoint)]).toEqual([endpoint, true])
  }
  for (const endpoint of [
    'http://push.example.com/x',
    'https://push.example.com:8443/x',
    'https://sub.push.example.com/x',
    'http://other.example.com:8443/x',
    'https://other.example.com/x',
    'http://127.0.0.1:9091/x',
    'http://127.0.0.2:9090/x',
    'http://localhost:9090/x',
    'http://127.0.0.1/x',
    'https://localhost/x',
    'http://u@127.0.0.1:9090/x',
    'ftp://127.0.0.1:9090/x',
  ]) {
    expect([endpoint, allowed(endpoint)]).toEqual([endpoint, false])
  }
})

test('the push-service list judges the URL as it will be dialled', () => {
  const allowed = (address: string) => isPushService(new URL(address), [])
  expect(allowed('https://fcm.googleapis.com/x')).toBe(true)
  expect(allowed('https://evil.test;.push.apple.com/')).toBe(false)
  expect(allowed('https://u:p@web.push.apple.com/')).toBe(false)
})

const offCurve = Buffer.from(point)
offCurve[64]! ^= 1
const spareBits = `${keys.auth.slice(0, -1)}${keys.auth.endsWith('A') ? 'B' : keys.auth.endsWith('Q') ? 'R' : keys.auth.endsWith('g') ? 'h' : 'x'}`

test.each([
  ['a point beside the curve', text(offCurve)],
  ['the point at infinity', text(Buffer.concat([Buffer.of(4), Buffer.alloc(64)]))],
  ['a compressed point', text(Buffer.from(createKey('compressed')))],
  ['a hybrid point', text(Buffer.concat([Buffer.of(6 + (point[64]! & 1)), point.subarray(1)]))],
  ['64 bytes', text(point.subarray(0, 64))],
  ['66 bytes', text(Buffer.concat([point, Buffer.of(0)]))],
  ['padding', `${keys.p256dh}=`],
  ['plain base64', Buffer.concat([Buffer.of(4), Buffer.alloc(64, 0xff)]).toString('base64')],
  ['white space', `${keys.p256dh.slice(0, 40)} ${keys.p256dh.slice(40)}`],
  ['nothing', ''],
  ['64 kB', 'A'.repeat(64_000)],
])('a public key is a point of P-256 in base64url: %s is refused', (_, p256dh) => {
  expect(faultsOf('https://fcm.googleapis.com/x', { p256dh })).toEqual([
    'keys.p256dh must be a point of the curve P-256: 65 bytes in base64url without padding',
  ])
})

test.each([
  ['15 bytes', text(randomBytes(15))],
  ['17 bytes', text(randomBytes(17))],
  ['64 kB', 'A'.repeat(64_000)],
  ['padding', `${keys.auth}==`],
  ['other spare bits', spareBits],
  ['nothing', ''],
])('the authentication secret is 16 bytes in base64url: %s is refused', (_, auth) => {
  expect(faultsOf('https://fcm.googleapis.com/x', { auth })).toEqual([
    'keys.auth must be 16 bytes in base64url without padding',
  ])
})

function createKey(form: 'compressed'): Buffer {
  return curve.getPublicKey(undefined as never, form)
}
