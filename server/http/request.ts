import { type FieldFault, Refusal } from '../errors.ts'
import { BODY_LIMIT } from '../wire.ts'
import { withoutToString } from './elysia.ts'
import { memoized } from './memo.ts'

export interface Target {
  /** in canonical form, without a scheme; `localhost` */
  hostname: string
  path: string
  /** with its question mark, or empty */
  search: string
}

/** Escapes of what needs none, of separators and of controls: only who hides a path writes them. */
const DECEPTIVE =
  /\/\/|\\|%(?![0-9A-Fa-f]{2})|%(?:[01][0-9A-Fa-f]|2[DdEeFf]|3[0-9]|4[1-9A-Fa-f]|5[0-9AaCcFf]|6[1-9A-Fa-f]|7[0-9AaEeFf])/
const HOST = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{0,5})?$/
const HOST_LONGEST = 259
const HEALTH = '/api/health'

/** The host's name, judged once for each spelling; undefined for what no URL can hold. */
const hostnameOf = memoized(1_000, host => {
  const url = HOST.test(host) && host.length <= HOST_LONGEST ? URL.parse(`http://${host}`) : null
  return url?.hostname
})

/** The request's URL, parsed once. Undefined: no URL, or one that hides where it leads. */
export function readTarget({ method, url, headers }: Request): Target | undefined {
  const host = headers.get('host')
  const hostname = host === null ? '' : hostnameOf(host)
  if (hostname === undefined || url.includes('#')) return undefined
  const { path, search } = split(url)
  if (path[0] !== '/' || DECEPTIVE.test(path)) return undefined
  // Balancers ask in HTTP/1.0, which needs no Host.
  if (hostname === '' && (path !== HEALTH || !isRead(method))) return undefined
  return { hostname, path, search }
}

/** Where there is no Host, or none that a URL can hold, Bun gives the target alone. */
function split(url: string): { path: string; search: string } {
  const start = url[0] === '/' ? 0 : url.indexOf('/', url.indexOf('//') + 2)
  const mark = url.indexOf('?', start)
  return mark < 0
    ? { path: url.slice(start), search: '' }
    : { path: url.slice(start, mark), search: url.slice(mark) }
}

/** Only for requests that are refused as malformed: where they seem to lead. */
export const seemsApi = (url: string) => isApi(split(url).path)

export const isApi = (path: string) => path === '/api' || path.startsWith('/api/')
export const isRead = (method: string) => method === 'GET' || method === 'HEAD'

const JSON_MEDIA = /^application\/json[ \t]*(?:;|$)/i
const DEEPEST = 16
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The one reader of bodies: JSON in UTF-8, at most 64 KiB, whatever the media type's parameters say. */
export async function readJson(request: Request): Promise<unknown> {
  if (!JSON_MEDIA.test(request.headers.get('content-type') ?? '')) throw new Refusal('unsupported_media_type')
  if (Number(request.headers.get('content-length')) > BODY_LIMIT) throw new Refusal('body_too_large')
  const bytes = await request.arrayBuffer().catch(cutOff)
  if (bytes.byteLength > BODY_LIMIT) throw new Refusal('body_too_large')
  const text = decodedBody(bytes)
  if (nestedTooDeep(text)) {
    throw new Refusal('invalid_body', [{ field: 'body', message: 'is nested too deeply' }])
  }
  try {
    return JSON.parse(text, withoutToString)
  } catch {
    throw new Refusal('malformed_json')
  }
}

function decodedBody(bytes: ArrayBuffer): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new Refusal('malformed_json')
  }
}

/** Thousands of nested brackets cost seconds in whoever walks or prints them; no body of ours needs more than three. */
function nestedTooDeep(json: string): boolean {
  let depth = 0
  let quoted = false
  for (let i = 0; i < json.length; i++) {
    const character = json[i]
    if (quoted) {
      if (character === '\\') i++
      else if (character === '"') quoted = false
    } else if (character === '"') quoted = true
    else if (character === '[' || character === '{') {
      if (++depth > DEEPEST) return true
    } else if (character === ']' || character === '}') depth--
  }
  return false
}

function cutOff(): never {
  throw new Refusal('malformed_request')
}

/** A misspelt or doubled parameter is a fault, not a default. Judged once for each spelling. */
export function queryCheck(known: ReadonlySet<string>): (search: string) => void {
  const faultsOf = memoized(1_000, search => queryFaults(search, known))
  return search => {
    const faults = faultsOf(search)
    if (faults.length) throw new Refusal('invalid_query', faults)
  }
}

function queryFaults(search: string, known: ReadonlySet<string>): FieldFault[] {
  const seen = new Set<string>()
  const faults: FieldFault[] = []
  for (const pair of search.slice(1).split('&')) {
    if (faults.length === 10) break
    if (!pair) continue
    const [rawName = ''] = pair.split('=', 1)
    const name = decoded(rawName)
    const field = (name ?? rawName).slice(0, 40)
    if (name === undefined || decoded(pair) === undefined) faults.push({ field, message: 'is not UTF-8' })
    else if (!known.has(name)) faults.push({ field, message: 'is not a parameter of this address' })
    else if (seen.has(name)) faults.push({ field, message: 'is given more than once' })
    seen.add(name ?? rawName)
  }
  return faults
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}
