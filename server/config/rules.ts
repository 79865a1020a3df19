import { fromBase64Url } from '../base64url.ts'
import { isLoopback } from '../loopback.ts'
import { parsePostgresUrl } from './postgres-url.ts'

const DOMAIN = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/i
const EMAIL =
  /^(?=.{1,64}@)[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@[A-Za-z0-9.-]+$/
const DURATION = /^([1-9]\d{0,5})([smhd])$/
const SECONDS = { s: 1, m: 60, h: 3_600, d: 86_400 }
const SESSION_LEAST_SECONDS = 300
const COOKIE_MOST_SECONDS = 400 * 86_400
const DRAIN_MOST_SECONDS = 300
const UNIX = 'unix:'
/** What a socket's path may hold on every system, with the end mark. */
const SOCKET_PATH_BYTES = 104

export const isText = (value: string) => value.trim() !== '' && !value.includes('\0')
export const isHost = (value: string) =>
  value.startsWith(UNIX) ? isSocketPath(value.slice(UNIX.length)) : /^[A-Za-z0-9._:-]+$/.test(value)
/** Where HOST names a unix socket. */
export const socketPathOf = (host: string) => (host.startsWith(UNIX) ? host.slice(UNIX.length) : undefined)
export const isPort = (value: string) =>
  /^\d{1,5}$/.test(value) && Number(value) >= 1 && Number(value) <= 65_535
export const isDrain = (value: string) => /^\d{1,3}$/.test(value) && Number(value) <= DRAIN_MOST_SECONDS
export const isPoolSize = (value: string) =>
  /^\d{1,4}$/.test(value) && Number(value) >= 2 && Number(value) <= 1000
export const isDomain = (value: string) => DOMAIN.test(value)
export const isEmail = (value: string) => EMAIL.test(value) && value.length <= 254
export const isPostgresUrl = (value: string) => parsePostgresUrl(value) !== undefined
export const isProviderName = (value: string) => /^[a-z0-9-]{1,40}$/.test(value) && value !== 'logout'
export const isPublicKey = (value: string) => fromBase64Url(value)?.length === 65
export const isPrivateKey = (value: string) => fromBase64Url(value)?.length === 32
export const isHostList = (value: string) =>
  list(value).every(host => /^[a-z0-9.-]+(:\d{1,5})?$|^\[[0-9a-f:]+\](:\d{1,5})?$/i.test(host))
export const isOneOf =
  (...words: string[]) =>
  (value: string) =>
    words.includes(value)

export function isSessionTtl(value: string): boolean {
  const seconds = durationSeconds(value)
  return seconds >= SESSION_LEAST_SECONDS && seconds <= COOKIE_MOST_SECONDS
}

export function isPublicOrigin(value: string): boolean {
  const url = parsed(value)
  if (!url || !/^https?:$/.test(url.protocol)) return false
  const bare =
    url.username === '' && url.password === '' && value.replace(/\/$/, '').toLowerCase() === url.origin
  return bare && (url.protocol === 'https:' || isLoopback(url.hostname))
}

export function isIssuer(value: string): boolean {
  const url = parsed(value)
  if (!url || url.search || url.hash || url.username || url.password) return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))
}

export function durationSeconds(value: string): number {
  const [, amount, unit] = DURATION.exec(value) ?? []
  return Number(amount) * SECONDS[unit as keyof typeof SECONDS]
}

export const list = (value: string) =>
  value
    .split(',')
    .map(item => item.trim())
    .filter(Boolean)

const isSocketPath = (path: string) =>
  path.startsWith('/') && !path.includes('\0') && Buffer.byteLength(path) < SOCKET_PATH_BYTES

function parsed(value: string): URL | undefined {
  return URL.canParse(value) ? new URL(value) : undefined
}
