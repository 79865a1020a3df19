import { createSessions } from '../../server/auth/session.ts'
import type { Judged } from '../../server/config/partial.ts'
import type { Config } from '../../server/config/read.ts'
import { type OutboundAnswer, OutboundFault, type OutboundRequest, request } from '../../server/outbound.ts'
import { BODY_LIMIT } from '../../server/wire.ts'
import { type Check, DEADLINE_MS, fault, NEEDS_SETTINGS, ok, skipped, warning } from './check.ts'

/** As long as the server itself lets somebody be silent. */
const SLOW_MS = 12_000
const PARTS = 24
const ANSWER_MOST_BYTES = 256 * 1024

type Ask = (path: string, options?: Partial<OutboundRequest>) => Promise<Answer>
interface Answer extends OutboundAnswer {
  json: { code?: string; status?: unknown; user?: unknown }
}
/** One look at it; what is well says nothing. */
type Look = (ask: Ask, visit: Visit) => Promise<Check[]>
interface Visit {
  config: Config
  address: string
  /** the owner's session, sealed here */
  cookie: string
  slowMs: number
}

/** What stands in front of the running server at `address`, seen from outside. Nothing is stored by it. */
export async function* checkProxy(
  address: string,
  { config, faulty }: Judged,
  slowMs = SLOW_MS,
): AsyncGenerator<Check> {
  const needed = ['PUBLIC_URL', 'SESSION_PASSWORD', 'ALLOWED_DOMAIN', 'OWNER_EMAIL'] as const
  if (!config || needed.some(name => faulty.has(name))) return yield skipped('proxy', NEEDS_SETTINGS)
  const ask: Ask = async (path, options) => {
    const limits = { deadlineMs: DEADLINE_MS, maxBytes: ANSWER_MOST_BYTES }
    const answer = await request(address + path, { allow: () => true, ...limits, ...options })
    return { ...answer, json: jsonOf(answer) }
  }
  const [cookie = ''] = (await createSessions(config).begin(config.ownerEmail)).split(';', 1)
  const visit: Visit = { config, address, cookie, slowMs }
  const inOrder = (look: Look) => look(ask, visit).catch(cut)

  const unreached = await inOrder(lookForServer)
  if (unreached.length) return yield* unreached
  const slow = inOrder(lookAtTime)
  let found = 0
  for (const look of [lookAtName, lookAtCookies, lookAtBodies, lookAtHeaders, () => slow]) {
    const checks = await inOrder(look)
    found += checks.length
    yield* checks
  }
  if (!found) yield ok('proxy', `${address} lets pages, cookies, bodies and slow requests through unharmed`)
}

/** Whatever a look did not expect to break. */
function cut(error: unknown): Check[] {
  if (!(error instanceof OutboundFault)) throw error
  const mend = 'look into its log; it has to hand every path, method and header to HOST and PORT'
  return [fault('proxy', error.message, mend)]
}

async function lookForServer(ask: Ask, { address }: Visit): Promise<Check[]> {
  const { status, json } = await ask('/api/health?live')
  if (status === 200 && json.status === 'ok') return []
  const mend = 'start the server, and let what stands there hand every path to its HOST and PORT'
  return [fault('proxy', `${address} answers ${status}, which is not Faultline's answer`, mend)]
}

/** The name people come by, and whether the server hears it. */
async function lookAtName(ask: Ask, { address, config: { publicUrl } }: Visit): Promise<Check[]> {
  const found: Check[] = []
  if (address !== publicUrl) {
    const said = `${address} is not PUBLIC_URL, ${publicUrl}: who comes by it cannot sign in`
    found.push(warning('proxy', said, 'send people to PUBLIC_URL, or set PUBLIC_URL to this address'))
  }
  const { status, headers } = await ask('/')
  const location = headers.get('location') ?? ''
  const target = URL.parse(location, address)?.href
  if (target === `${publicUrl}/login` || target === `${address}/login`) return found
  if (target === `${publicUrl}/` && address !== publicUrl) return found
  const said =
    target === `${address}/`
      ? 'the page sends people in a circle: the server hears another name than they typed'
      : `/ is answered ${status}${location && ` and leads to ${location}`} instead of to /login`
  return [
    ...found,
    fault(
      'proxy',
      said,
      'hand on Host as it came (nginx: `proxy_set_header Host $host`), and leave Location alone',
    ),
  ]
}

async function lookAtCookies(ask: Ask, { cookie, config }: Visit): Promise<Check[]> {
  const found: Check[] = []
  const { json } = await ask('/api/session', { headers: { cookie } })
  if (!json.user) {
    const mend =
      'hand on Cookie as it came; if it does, the server was started with another SESSION_PASSWORD, PUBLIC_URL or owner than these settings have'
    found.push(fault('proxy', 'a session cookie does not reach the server', mend))
  }
  const out = await ask('/auth/logout', { method: 'POST' })
  if (out.headers.get('set-cookie') !== createSessions(config).end) {
    const mend = 'hand on Set-Cookie as it came, without changing its name, path or flags'
    found.push(fault('proxy', "the server's cookies do not reach the browser as they were set", mend))
  }
  return found
}

/** Of the allowed length, which the server finds fault with by itself, and one more. */
async function lookAtBodies(ask: Ask, visit: Visit): Promise<Check[]> {
  const whole = await ask('/api/defects', report(visit, bodyOf(BODY_LIMIT)))
  const known = answeredByServer(whole)
  if (known.length || whole.json.code === 'unauthenticated') return known
  if (whole.json.code !== 'invalid_body') {
    const mend = 'let bodies of 1 MiB through (nginx: `client_max_body_size 1m`)'
    return [fault('proxy', `a body of 64 KiB is answered ${whole.status} on its way`, mend)]
  }
  const larger = await ask('/api/defects', report(visit, bodyOf(BODY_LIMIT + 1)))
  if (larger.json.code === 'body_too_large') return []
  const mend = 'let bodies of 1 MiB through (nginx: `client_max_body_size 1m`), so that the server says it'
  return [warning('proxy', `a body of more than 64 KiB is answered ${larger.status} on its way`, mend)]
}

/** What a browser would be refused for, whatever the body. */
function answeredByServer({ json }: Answer): Check[] {
  if (json.code !== 'cross_origin') return []
  const mend = 'hand on Origin as it came; if it does, the server was started with another PUBLIC_URL'
  return [fault('proxy', 'the server takes a report of its own page for one from another site', mend)]
}

async function lookAtTime(ask: Ask, visit: Visit): Promise<Check[]> {
  const options = report(visit, inParts(visit.slowMs))
  const seconds = `${Math.round(visit.slowMs / 1000)} s`
  const mend = `give requests and answers 30 s (nginx: \`proxy_read_timeout\`; HAProxy: \`timeout client\`, \`timeout server\`)`
  const answer = await ask('/api/defects', { ...options, deadlineMs: visit.slowMs + DEADLINE_MS }).catch(
    error => {
      if (!(error instanceof OutboundFault)) throw error
    },
  )
  if (answer?.json.code) return []
  const how = answer ? `answered ${answer.status} on its way` : 'cut'
  return [fault('proxy', `a request that takes ${seconds} is ${how}`, mend)]
}

/** What makes open pages cheap, and browsers come by https alone. */
async function lookAtHeaders(ask: Ask, { cookie, config }: Visit): Promise<Check[]> {
  const found: Check[] = []
  const asked = { cookie, 'accept-encoding': 'gzip, br' }
  const { status, headers } = await ask('/api/defects/counts', { headers: asked })
  if (status === 200) {
    if (headers.get('content-encoding')) {
      const mend = 'leave compression to the server, which does it where it pays (nginx: `gzip off`)'
      found.push(warning('proxy', 'it compresses answers of the API', mend))
    }
    const again = await ask('/api/defects/counts', {
      headers: { ...asked, 'if-none-match': headers.get('etag') ?? '""' },
    })
    if (again.status !== 304) {
      const mend = 'hand on ETag and If-None-Match as they came'
      found.push(warning('proxy', 'open pages fetch everything anew each time', mend))
    }
  }
  const transport = headers.get('strict-transport-security')
  if (config.publicUrl.startsWith('https:') && !transport) {
    const mend = 'hand on Strict-Transport-Security as it came'
    found.push(fault('proxy', 'browsers are not told to come by https alone', mend))
  }
  if (transport?.includes(',')) {
    const mend = "let one of both say it: the server's own is a year"
    found.push(warning('proxy', 'Strict-Transport-Security comes twice', mend))
  }
  return found
}

function report(
  { cookie, config }: Visit,
  body: NonNullable<OutboundRequest['body']>,
): Partial<OutboundRequest> {
  const headers = { cookie, origin: config.publicUrl, 'content-type': 'application/json' }
  return { method: 'POST', headers, body }
}

/** JSON that is well-formed and no report. */
const bodyOf = (bytes: number) => JSON.stringify({ probe: 'x'.repeat(bytes - '{"probe":""}'.length) })

function inParts(ms: number): ReadableStream<Uint8Array> {
  const text = bodyOf(1_024)
  const size = Math.ceil(text.length / PARTS)
  return new ReadableStream({
    async start(body) {
      for (let at = 0; at < text.length; at += size) {
        body.enqueue(new TextEncoder().encode(text.slice(at, at + size)))
        await Bun.sleep(ms / PARTS)
      }
      body.close()
    },
  })
}

function jsonOf({ body }: OutboundAnswer): Answer['json'] {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(body))
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}
