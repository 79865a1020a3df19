import { isLoopback } from '../loopback.ts'

const SERVICES = [
  /^fcm\.googleapis\.com$/,
  /^(?:[a-z0-9-]+\.)+push\.services\.mozilla\.com$/,
  /^(?:[a-z0-9-]+\.)+push\.apple\.com$/,
  /^(?:[a-z0-9-]+\.)+notify\.windows\.com$/,
]
const LONGEST = 2_048
/** An absolute URL as browsers write it: scheme, authority, path, all in printable ASCII. */
const WRITTEN = /^(https?):\/\/([^/?#\\]*)(\/[\x21-\x7E]*)$/

/** Whether a push may go there; asked about the URL as it will be dialled. */
export function isPushService(url: URL, pushHosts: readonly string[]): boolean {
  if (url.username || url.password || url.hash) return false
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  const named = pushHosts.includes(`${url.hostname}:${port}`)
  if (isLoopback(url.hostname) && named) return true
  if (url.protocol !== 'https:') return false
  if (named) return true
  return url.port === '' && (isBuiltIn(url.hostname) || pushHosts.includes(url.hostname))
}

const isBuiltIn = (host: string) => SERVICES.some(service => service.test(host))

/** The endpoint as it is stored and dialled, or why it is refused. */
export function readEndpoint(
  endpoint: string,
  pushHosts: readonly string[],
): { endpoint: string } | { fault: string } {
  if (endpoint.length > LONGEST) return tooLong
  const [, scheme, authority = '', path = ''] = WRITTEN.exec(endpoint) ?? []
  if (!scheme || !URL.canParse(endpoint))
    return { fault: "must be the URL that the browser's push service gave" }
  if (authority.includes('@')) return { fault: 'must not hold a user name or password' }
  if (path.includes('#')) return { fault: 'must not hold a fragment' }
  const url = new URL(endpoint)
  if (authority.replace(/:\d+$/, '') !== url.hostname) {
    return { fault: 'must name its host in canonical form: lower case, no escapes, no closing dot' }
  }
  if (!isPushService(url, pushHosts)) return { fault: whyNot(url, pushHosts) }
  return url.href.length > LONGEST ? tooLong : { endpoint: url.href }
}

const tooLong = { fault: `must be at most ${LONGEST} characters` }

function whyNot(url: URL, pushHosts: readonly string[]): string {
  if (!isBuiltIn(url.hostname) && !pushHosts.includes(url.hostname)) {
    return 'is not at a push service known here; the operator can add one in PUSH_HOSTS'
  }
  return url.protocol === 'https:' ? 'must use the default port' : 'must begin with https://'
}

/** The endpoint as DELETE may name it; undefined for what can never have been stored. */
export function storedForm(endpoint: string): string | undefined {
  return endpoint.length <= LONGEST && URL.canParse(endpoint) ? new URL(endpoint).href : undefined
}

/** A device in words: an endpoint is a secret address, so logs and terminals show no more than this. */
export function deviceName(endpoint: string): string {
  const digest = new Bun.CryptoHasher('sha256').update(endpoint).digest('hex')
  const host = URL.canParse(endpoint) ? new URL(endpoint).host : 'nowhere'
  return `${host}/${digest.slice(0, 8)}`
}
